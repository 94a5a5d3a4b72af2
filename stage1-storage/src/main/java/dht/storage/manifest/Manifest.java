package dht.storage.manifest;

import java.util.List;

/**
 * What an engine consists of at one moment: the tables, and from which log on to replay.
 *
 * @param nextFileNumber no table or log of this number or a greater one was in use when the
 *     manifest was written
 * @param oldestLog number of the first log whose entries are not all in tables
 * @param greatestTimestampMicros of any entry that the tables hold or ever held
 * @param totals what was written so far
 * @param tables from the newest to the oldest
 */
public record Manifest(
        long nextFileNumber,
        long oldestLog,
        long greatestTimestampMicros,
        WriteTotals totals,
        List<TableReference> tables) {

    public static final Manifest EMPTY = new Manifest(1, 1, 0, WriteTotals.ZERO, List.of());

    public Manifest {
        tables = List.copyOf(tables);
    }

    /**
     * @param fileBytes size of the table's file
     */
    public record TableReference(long number, long fileBytes) {}
}
