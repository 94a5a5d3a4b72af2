package dht.storage.lsm;

import static dht.storage.TextDao.bytes;

import dht.storage.CorruptionException;
import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * A separate process in which files are truncated under a running engine. Reading a page that is
 * gone causes a fault, as it does when a disk fails. Prints the outcomes of the reads.
 */
final class TruncatedFiles {
    private static final int SMALL_COUNT = 500;
    private static final int LARGE_COUNT = 4;
    private static final int LARGE_BYTES = 300_000;
    private static final int ROUNDS = 3;

    /** Bytes of a file that stay. */
    private static final int KEPT_BYTES = 8192;

    private final LsmDao dao;
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private long readBytes;

    private TruncatedFiles(LsmDao dao) {
        this.dao = dao;
    }

    /** Arguments: the data directory, {@code sst} or {@code log}, how often to read before. */
    @SuppressWarnings("resource") // It can't be closed in order with its files gone.
    public static void main(String... args) throws IOException {
        Path path = Path.of(args[0]);
        LsmDao dao = LsmDao.open(LocalDirectory.open(path), StorageOptions.defaults());
        TruncatedFiles run = new TruncatedFiles(dao);
        run.fill();
        if (args[1].equals("sst")) {
            dao.flush();
        }
        for (int i = Integer.parseInt(args[2]); i > 0; i--) {
            run.readAll();
        }
        run.outcomes.clear();
        truncate(path, args[1]);
        for (int i = 0; i < ROUNDS; i++) {
            run.readAll();
        }
        if (args[1].equals("sst")) {
            run.compact();
        }
        System.out.println(run.outcomes + (run.computeMore() > 0 ? " alive" : ""));
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private void fill() {
        for (int i = 0; i < SMALL_COUNT; i++) {
            dao.upsert(small(i), MemorySegment.ofArray(new byte[100 + i]), 1);
        }
        for (int i = 0; i < LARGE_COUNT; i++) {
            dao.upsert(large(i), MemorySegment.ofArray(new byte[LARGE_BYTES]), 1);
        }
    }

    private static byte[] small(int number) {
        return bytes("a%05d".formatted(number));
    }

    private static byte[] large(int number) {
        return bytes("b%05d".formatted(number));
    }

    private static void truncate(Path path, String suffix) throws IOException {
        try (var files = Files.list(path)) {
            for (Path file : files.filter(name -> name.toString().endsWith(suffix)).toList()) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(KEPT_BYTES);
                }
            }
        }
    }

    private void readAll() {
        for (int i = 0; i < SMALL_COUNT; i++) {
            get(small(i));
        }
        for (int i = 0; i < LARGE_COUNT; i++) {
            get(large(i));
        }
        range();
    }

    private void get(byte[] key) {
        try (ReadOutcome outcome = dao.get(key)) {
            if (outcome instanceof ReadOutcome.Found found) {
                byte[] copy = new byte[(int) found.value().byteSize()];
                found.copyValue(0, copy, 0, copy.length);
                readBytes += copy.length;
                count("found");
            } else {
                count("lost");
            }
        } catch (CorruptionException e) {
            count(e);
        } catch (Throwable e) {
            count(e.toString());
        }
    }

    private void range() {
        try (EntryCursor cursor = dao.range(null, null)) {
            while (cursor.next()) {
                EntryView entry = cursor.entry();
                readBytes += entry.copyValue().length;
            }
            count("range");
        } catch (CorruptionException e) {
            count(e);
        } catch (Throwable e) {
            count(e.toString());
        }
    }

    private void compact() {
        try {
            dao.upsert(small(0), MemorySegment.ofArray(new byte[1]), 2);
            dao.flush();
            dao.compact();
            count("compacted");
        } catch (StorageException e) {
            count("not compacted");
        }
    }

    private void count(CorruptionException e) {
        boolean isTold = e.file().matches("0000.*") && e.offsetBytes() >= 0;
        count(isTold ? "corrupt" : e.toString());
    }

    private void count(String outcome) {
        outcomes.merge(outcome, 1, Integer::sum);
    }

    /** An error that compiled code has kept back would come out here. */
    private long computeMore() {
        long sum = 0;
        for (int i = 0; i < 100_000; i++) {
            sum += Integer.toString(i).length();
        }
        return sum;
    }
}
