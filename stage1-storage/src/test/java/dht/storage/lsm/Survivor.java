package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Durability;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.TextDao;
import dht.storage.manifest.ManifestFile;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.Loss;
import dht.storage.simulation.SimulatedDisk;
import dht.storage.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The process that starts after a crash, reads what the crash has left, and must be able to
 * continue.
 */
final class Survivor {
    private final StorageOptions options;

    Survivor(StorageOptions options) {
        this.options = options;
    }

    /**
     * Goes through what may have become of a disk: the process was killed; the power failed; and
     * either of them once more, while the next process was recovering.
     */
    void survive(DiskImage image, History history, long operation, SplittableRandom random)
            throws IOException {
        checkAndGoOn(image, history, killed(history));
        Loss loss = Loss.values()[(int) (operation % Loss.values().length)];
        DiskImage powerless = image.afterPowerFailure(loss, random);
        check(powerless, history, powerless(history));
        if (options.durability() == Durability.FSYNC && loss != Loss.ALL) {
            // A single crash comes between the syncs of two logs of a group.
            check(image.afterPowerFailure(Loss.ALL, random), history, powerless(history));
        }
        if (operation % 2 == 0) {
            check(crashWhileOpening(image, random.nextInt(20)), history, killed(history));
        } else {
            DiskImage again = crashWhileOpening(powerless, random.nextInt(20));
            check(again.afterPowerFailure(loss, random), history, powerless(history));
        }
    }

    /** How many writes must survive when the process is killed. */
    private int killed(History history) {
        return options.durability() == Durability.NONE ? history.flushed() : history.acknowledged();
    }

    /** How many writes must survive when the power fails. */
    private int powerless(History history) {
        return options.durability() == Durability.FSYNC
                ? history.acknowledged()
                : history.flushed();
    }

    /**
     * Opens an image, and checks that it holds the first so many writes, and that nothing is left
     * lying around.
     *
     * @param atLeast how many writes must be there
     */
    void check(DiskImage image, History history, int atLeast) throws IOException {
        checkThen(image, history, atLeast, _ -> {});
    }

    /** Checks as {@link #check} does, except what is left lying around. */
    void checkReadable(DiskImage image, History history, int atLeast) throws IOException {
        try (SimulatedDisk disk = image.start()) {
            checkHolds(disk, history, atLeast);
        }
    }

    /** Checks that, and that the engine takes writes again, which survive the next start. */
    private void checkAndGoOn(DiskImage image, History history, int atLeast) throws IOException {
        checkThen(image, history, atLeast, this::checkUsable);
    }

    private interface Sequel {
        void run(SimulatedDisk disk) throws IOException;
    }

    private void checkThen(DiskImage image, History history, int atLeast, Sequel sequel)
            throws IOException {
        try (SimulatedDisk disk = image.start()) {
            checkHolds(disk, history, atLeast);
            checkNoLeftovers(disk);
            sequel.run(disk);
        }
    }

    private void checkHolds(SimulatedDisk disk, History history, int atLeast) throws IOException {
        TextDao dao = open(disk);
        try {
            List<String> found = dao.all();
            checkPrefix(found, history, atLeast);
            checkGets(dao, found);
        } finally {
            dao.dao().close();
        }
    }

    private TextDao open(SimulatedDisk disk) throws IOException {
        return new TextDao(LsmDao.open(disk.directory(), options));
    }

    private static void checkPrefix(List<String> found, History history, int atLeast) {
        boolean isPrefix =
                IntStream.rangeClosed(atLeast, history.begun())
                        .anyMatch(count -> history.stateAfter(count).equals(found));
        if (!isPrefix) {
            throw new AssertionError(
                    "found %s, which is no prefix of at least %d of the writes %s"
                            .formatted(found, atLeast, history.writes()));
        }
    }

    private static void checkGets(TextDao dao, List<String> found) {
        for (String key : List.of("a", "b", "c", "d", "e", "f", "g", "h")) {
            String expected =
                    found.stream()
                            .filter(entry -> entry.startsWith(key + "="))
                            .map(entry -> entry.substring(2))
                            .findAny()
                            .orElse(null);
            String got = dao.get(key);
            if (expected == null) {
                assertThat(got).as("get %s", key).matches("absent|deleted@.*");
            } else {
                assertThat(got).as("get %s", key).isEqualTo(expected);
            }
        }
    }

    private void checkUsable(SimulatedDisk disk) throws IOException {
        List<String> expected = List.of("y=new@1000", "z=new@1001");
        TextDao dao = open(disk);
        try {
            dao.put("y", "new", 1000);
            dao.flush();
            dao.put("z", "new", 1001);
            dao.compact();
            assertThat(dao.range("y", null)).isEqualTo(expected);
        } finally {
            dao.dao().close();
        }
        checkNoLeftovers(disk);
        TextDao next = open(disk);
        try {
            assertThat(next.range("y", null)).isEqualTo(expected);
        } finally {
            next.dao().close();
        }
    }

    /** Nothing but the manifest and its tables, as after any clean close. */
    static void checkNoLeftovers(SimulatedDisk disk) throws IOException {
        List<String> expected = new ArrayList<>(List.of(ManifestFile.NAME));
        ManifestFile.load(disk.directory())
                .orElseThrow()
                .tables()
                .forEach(table -> expected.add(SSTable.fileName(table.number())));
        assertThat(disk.names()).containsExactlyInAnyOrderElementsOf(expected);
    }

    /**
     * Begins to recover an image, crashes after {@code operationCount} operations, and answers what
     * is left then.
     */
    private DiskImage crashWhileOpening(DiskImage image, long operationCount) throws IOException {
        try (SimulatedDisk disk = image.start()) {
            disk.crashAfter(operationCount);
            try {
                TextDao dao = open(disk);
                DiskImage left = disk.crash();
                closeDead(dao);
                return left;
            } catch (IOException | StorageException e) {
                if (!disk.hasCrashed()) {
                    throw e;
                }
                return disk.crash();
            }
        }
    }

    private static void closeDead(TextDao dao) {
        try {
            dao.dao().close();
        } catch (StorageException e) {
            // As expected.
        }
    }
}
