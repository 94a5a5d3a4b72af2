package dht.storage.simulation;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The contents of a disk at one moment, both synced and not synced. Immutable: the methods that
 * damage it return a damaged copy, in which everything is durable.
 */
public final class DiskImage {
    private final UUID bootId;
    private final Map<String, FileImage> names;
    private final Map<String, FileImage> durableNames;
    private final List<NameChange<FileImage>> pending;

    DiskImage(
            UUID bootId,
            Map<String, FileImage> names,
            Map<String, FileImage> durableNames,
            List<NameChange<FileImage>> pending) {
        this.bootId = bootId;
        this.names = new TreeMap<>(names);
        this.durableNames = new TreeMap<>(durableNames);
        this.pending = List.copyOf(pending);
    }

    UUID bootId() {
        return bootId;
    }

    Map<String, FileImage> names() {
        return names;
    }

    Map<String, FileImage> durableNames() {
        return durableNames;
    }

    List<NameChange<FileImage>> pending() {
        return pending;
    }

    /** The disk for the next process: the system has lost nothing. */
    public SimulatedDisk start() {
        return new SimulatedDisk(this);
    }

    /** What the machine finds when the power is back. */
    public DiskImage afterPowerFailure(Loss loss, SplittableRandom random) {
        Map<String, FileImage> left = new TreeMap<>(durableNames);
        for (NameChange<FileImage> change : pending) {
            if (loss == Loss.NOTHING || loss == Loss.SECTORS && random.nextBoolean()) {
                change.applyTo(left);
            }
        }
        left.replaceAll((_, file) -> file.afterPowerFailure(loss, random));
        return durable(new UUID(bootId.getMostSignificantBits() + 1, 0), left);
    }

    private static DiskImage durable(UUID bootId, Map<String, FileImage> names) {
        return new DiskImage(bootId, names, names, List.of());
    }

    public Set<String> files() {
        return names.keySet();
    }

    /** What a file holds, without the hole at its end. */
    public byte[] content(String name) {
        return names.get(name).content().clone();
    }

    public long size(String name) {
        return names.get(name).size();
    }

    public DiskImage withContent(String name, byte[] content) {
        return with(name, FileImage.durable(content, Math.max(size(name), content.length)));
    }

    public DiskImage withFlippedBit(String name, int offset, int bit) {
        byte[] content = content(name);
        content[offset] ^= (byte) (1 << bit);
        return withContent(name, content);
    }

    public DiskImage truncated(String name, int bytes) {
        return with(name, FileImage.durable(Arrays.copyOf(content(name), bytes), bytes));
    }

    public DiskImage without(String name) {
        Map<String, FileImage> fewer = new LinkedHashMap<>(names);
        fewer.remove(name);
        return durable(bootId, fewer);
    }

    /** With a file that was not there, or was another. */
    public DiskImage withFile(String name, byte[] content) {
        return with(name, FileImage.durable(content, content.length));
    }

    /** One file bears the other's name, and the other way round. */
    public DiskImage swapped(String name, String otherName) {
        return with(name, names.get(otherName)).with(otherName, names.get(name));
    }

    private DiskImage with(String name, FileImage file) {
        Map<String, FileImage> changed = new LinkedHashMap<>(names);
        changed.put(name, file);
        return durable(bootId, changed);
    }
}
