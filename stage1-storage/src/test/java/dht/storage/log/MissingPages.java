package dht.storage.log;

import dht.storage.file.LocalDirectory;
import dht.storage.file.WritableMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A separate process that appends to a log until a page of its file is missing, although it was
 * reserved. Prints what becomes of the record that needs this page.
 */
final class MissingPages {
    private static final UUID BOOT = new UUID(1, 2);
    private static final int RESERVED_BYTES = 128 << 10;

    /** What the file really has when pages are missing. A multiple of the size of a page. */
    private static final int PRESENT_BYTES = 64 << 10;

    private static final byte[] KEY = {1, 2};

    /** A file that has fewer bytes than were reserved. */
    private record ShortMapping(WritableMapping mapping, long bytesMax) implements WritableMapping {
        @Override
        public MemorySegment memory() {
            return mapping.memory();
        }

        @Override
        public void reserve(long upToBytes) throws IOException {
            mapping.reserve(Math.min(upToBytes, bytesMax));
        }

        @Override
        public void force(long lengthBytes) throws IOException {
            mapping.force(lengthBytes);
        }

        @Override
        public void close() {
            mapping.close();
        }
    }

    private MissingPages() {}

    /** Arguments: a directory, and how many logs to fill before, so that the code is compiled. */
    public static void main(String... args) throws IOException {
        try (LocalDirectory directory = LocalDirectory.open(Path.of(args[0]))) {
            try (WritableMapping mapping = create(directory, 1, RESERVED_BYTES)) {
                for (int i = Integer.parseInt(args[1]); i > 0; i--) {
                    fill(log(mapping), 4096 + i % 2 * 1000, RESERVED_BYTES - 8192);
                }
            }
            System.out.println("in the record: " + outcome(directory, 2, 4096 + 1000));
            System.out.println("after the record: " + outcome(directory, 3, 4096));
        }
    }

    private static WritableMapping create(LocalDirectory directory, long number, long bytesMax)
            throws IOException {
        return new ShortMapping(
                directory.createMapped(LogFiles.name(number), RESERVED_BYTES), bytesMax);
    }

    private static WriteAheadLog log(WritableMapping mapping) throws IOException {
        WriteAheadLog log = new WriteAheadLog(mapping, 1, 0, BOOT, RESERVED_BYTES);
        log.begin(0);
        return log;
    }

    private static long append(WriteAheadLog log, int recordBytes) throws IOException {
        byte[] value = new byte[recordBytes - LogLayout.RECORD_HEADER_BYTES - KEY.length];
        return log.append(KEY, MemorySegment.ofArray(value), 1);
    }

    private static void fill(WriteAheadLog log, int recordBytes, long upToBytes)
            throws IOException {
        while (log.appendedUpTo() + recordBytes < upToBytes) {
            append(log, recordBytes);
        }
    }

    private static String outcome(LocalDirectory directory, long number, int recordBytes)
            throws IOException {
        try (WritableMapping mapping = create(directory, number, PRESENT_BYTES)) {
            WriteAheadLog log = log(mapping);
            fill(log, recordBytes, PRESENT_BYTES);
            long before = log.appendedUpTo();
            String refusal = refusal(log, recordBytes);
            boolean isFull = append(log, recordBytes) == WriteAheadLog.NO_ROOM;
            return "%s, then %s; %s"
                    .formatted(refusal, isFull ? "no room" : "room", left(mapping, log, before));
        }
    }

    private static String refusal(WriteAheadLog log, int recordBytes) {
        try {
            return "appended at offset=" + append(log, recordBytes);
        } catch (IOException e) {
            return e.getCause() instanceof InternalError ? "refused" : e.toString();
        } catch (InternalError e) {
            return "thrown too late";
        }
    }

    /** What the next process would find beyond the records that were appended before. */
    private static String left(WritableMapping mapping, WriteAheadLog log, long before) {
        LogReplay replay = LogReplay.open(mapping.memory(), 1, LogFiles.name(1), BOOT);
        try {
            replay.forEach((_, _) -> {});
        } catch (RuntimeException e) {
            return e.getMessage();
        }
        boolean isUnchanged =
                log.appendedUpTo() == before
                        && LogLayout.appendedUpTo(mapping.memory()) == before
                        && replay.end() == before;
        return isUnchanged ? "nothing is left" : "left up to offset=" + replay.end();
    }
}
