package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.cluster.NodeAddress;
import dht.storage.CorruptionException;
import dht.storage.file.FileWriter;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.memory.Bytes;
import dht.storage.memory.Checksum;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The file of a {@link NodeState}. It is text with one value per line. The last line is the
 * checksum of all lines before it:
 *
 * <pre>
 *   dht-node 1
 *   identity 0f0e6d2c-3a54-4bb5-9b65-3a4f1c6c8d11
 *   phase ready
 *   contact 1764054000000
 *   contact-half 1764053000000
 *   kept kept-20261125T070000Z
 *   node http://127.0.0.1:8081 7c1b…  received
 *   node http://127.0.0.1:8082 -  -
 *   crc32c 1a2b3c4d
 * </pre>
 *
 * <p>The file is never changed: a new one is written next to it, synced, and renamed. Described in
 * docs/reference/formats.md. Persistent format: do not change. Stateless; a file must be used by
 * one thread at a time.
 */
final class NodeStateFile {
    static final String NAME = "STATE";
    static final String NEW_NAME = "STATE.new";

    private static final String HEADER = "dht-node 1\n";
    private static final String CHECKSUM = "crc32c ";
    private static final String NONE = "-";
    private static final String RECEIVED = "received";

    private NodeStateFile() {}

    /**
     * Reads the file, if there is one.
     *
     * @throws CorruptionException if it is damaged
     */
    static Optional<NodeState> load(StorageDirectory directory) throws IOException {
        if (!directory.list().contains(NAME)) {
            return Optional.empty();
        }
        try (MappedFile file = directory.map(NAME)) {
            int length = (int) file.memory().byteSize();
            return Optional.of(parse(new String(Bytes.copy(file.memory(), 0, length), UTF_8)));
        } catch (IllegalArgumentException | NullPointerException e) {
            throw new CorruptionException(
                    directory + "/" + NAME,
                    0,
                    "not the state of a node: move the file away, and start this node with an empty"
                            + " --data directory: it is then rebuilt from the others");
        }
    }

    private static NodeState parse(String text) {
        int end = text.lastIndexOf(CHECKSUM);
        if (!text.startsWith(HEADER)
                || end < 0
                || !text.substring(end).equals(checksum(text.substring(0, end)))) {
            throw new IllegalArgumentException("checksum");
        }
        Map<String, String> values = new HashMap<>();
        Map<NodeAddress, NodeState.Other> others = new TreeMap<>();
        for (String line : text.substring(HEADER.length(), end).split("\n", -1)) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("node")) {
                UUID identity = words[2].equals(NONE) ? null : UUID.fromString(words[2]);
                others.put(
                        NodeAddress.parse(words[1]),
                        new NodeState.Other(identity, words[3].equals(RECEIVED)));
            } else if (words.length == 2) {
                values.put(words[0], words[1]);
            }
        }
        return new NodeState(
                UUID.fromString(values.get("identity")),
                NodePhase.valueOf(values.get("phase").toUpperCase(Locale.ROOT)),
                contact(values),
                values.getOrDefault("kept", ""),
                others);
    }

    /** The second time is in the file only if it differs from the first one. */
    private static LastContact contact(Map<String, String> values) {
        String any = values.get("contact");
        String half = values.getOrDefault("contact-half", any);
        return new LastContact(Long.parseLong(any), Long.parseLong(half));
    }

    /**
     * Replaces the file durably. If this throws, either the previous file or the new one is
     * complete.
     */
    static void store(StorageDirectory directory, NodeState state) throws IOException {
        directory.delete(NEW_NAME); // A process that was killed may have left it.
        try (FileWriter file = directory.create(NEW_NAME)) {
            file.write(MemorySegment.ofArray(text(state).getBytes(UTF_8)));
            file.sync();
        }
        directory.rename(NEW_NAME, NAME);
        directory.sync();
    }

    private static String text(NodeState state) {
        StringBuilder lines = new StringBuilder(HEADER);
        lines.append("identity ").append(state.identity()).append('\n');
        lines.append("phase ").append(state.phase().name().toLowerCase(Locale.ROOT)).append('\n');
        LastContact contact = state.contact();
        lines.append("contact ").append(contact.anyMillis()).append('\n');
        if (contact.halfMillis() != contact.anyMillis()) {
            lines.append("contact-half ").append(contact.halfMillis()).append('\n');
        }
        if (!state.keptName().isEmpty()) {
            lines.append("kept ").append(state.keptName()).append('\n');
        }
        new TreeMap<>(state.others())
                .forEach(
                        (node, other) ->
                                lines.append("node ")
                                        .append(node.url())
                                        .append(' ')
                                        .append(other.identity() == null ? NONE : other.identity())
                                        .append(' ')
                                        .append(other.isReceived() ? RECEIVED : NONE)
                                        .append('\n'));
        return lines + checksum(lines.toString());
    }

    private static String checksum(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        int sum = Checksum.crc32c(MemorySegment.ofArray(bytes), 0, bytes.length);
        return CHECKSUM + HexFormat.of().toHexDigits(sum) + "\n";
    }
}
