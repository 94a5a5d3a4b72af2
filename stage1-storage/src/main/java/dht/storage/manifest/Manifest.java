package dht.storage.manifest;

import java.util.List;

/**
 * The state of an engine at one moment: its live tables, and the first log to replay. Immutable.
 *
 * @param nextFileNumber greater than the number of any table or log that was in use when the
 *     manifest was written
 * @param oldestLog the number of the oldest log that is still needed, because its entries are not
 *     all in tables; {@code nextFileNumber} if there is no such log
 * @param greatestTimestampMicros at least the greatest stamp of all entries that are or were in
 *     tables
 * @param totals how many bytes were written so far
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
     * A live table.
     *
     * @param fileBytes the size of its file
     */
    public record TableReference(long number, long fileBytes) {}
}
