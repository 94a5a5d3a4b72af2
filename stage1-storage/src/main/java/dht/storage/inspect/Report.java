package dht.storage.inspect;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dht.storage.EntryCursor;
import dht.storage.compaction.MergingCursor;
import dht.storage.inspect.Inspector.LogSummary;
import dht.storage.manifest.Manifest;
import dht.storage.manifest.WriteTotals;
import dht.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** The text that describes a data directory. Used by one thread. */
final class Report {
    private static final int KEY_BYTES_SHOWN = 20;

    private final List<String> lines = new ArrayList<>();
    private final String path;
    private final Manifest manifest;
    private final List<LogSummary> logs;
    private final List<SSTable> tables;
    private final boolean readsEverything;

    Report(
            String path,
            Manifest manifest,
            List<LogSummary> logs,
            List<SSTable> tables,
            boolean readsEverything) {
        this.path = path;
        this.manifest = manifest;
        this.logs = logs;
        this.tables = tables;
        this.readsEverything = readsEverything;
    }

    List<String> lines() {
        line("directory           %s", path);
        line("next file number    %d", manifest.nextFileNumber());
        line("greatest timestamp  %d", manifest.greatestTimestampMicros());
        describeLogs();
        describeTables();
        describeTotals();
        return lines;
    }

    private void describeLogs() {
        line("");
        line("%s not flushed", counted(logs.size(), "log", "logs"));
        for (LogSummary log : logs) {
            line(
                    "  %s  %s  %s",
                    log.name(), counted(log.records(), "record", "records"), bytes(log.bytes()));
        }
    }

    private void describeTables() {
        line("");
        line("%s, from the newest to the oldest", counted(tables.size(), "table", "tables"));
        if (tables.isEmpty()) {
            return;
        }
        String format = "  %-14s %11s %12s %12s %9s %8s %9s  %s";
        line(
                format,
                "file",
                "bytes",
                "entries",
                "tombstones",
                "blocks",
                "overlaps",
                "false pos.",
                "keys");
        for (SSTable table : tables) {
            line(
                    format,
                    table,
                    bytes(table.fileBytes()),
                    String.format(Locale.ROOT, "%,d", table.entryCount()),
                    String.format(Locale.ROOT, "%,d", table.tombstoneCount()),
                    String.format(Locale.ROOT, "%,d", table.blockCount()),
                    overlaps(table),
                    String.format(Locale.ROOT, "%.2f %%", 100 * table.falsePositiveRate()),
                    text(table.smallestKey()) + " .. " + text(table.greatestKey()));
        }
        long depth = overlapDepth();
        line(
                "levels of overlap   %d: one key can be in at most %s",
                depth, counted(depth, "table", "tables"));
    }

    /** The number of other tables whose key ranges overlap the range of this one. */
    private long overlaps(SSTable table) {
        return tables.stream()
                .filter(other -> other != table && isOverlapping(table, other))
                .count();
    }

    private static boolean isOverlapping(SSTable a, SSTable b) {
        return Arrays.compareUnsigned(a.smallestKey(), b.greatestKey()) <= 0
                && Arrays.compareUnsigned(b.smallestKey(), a.greatestKey()) <= 0;
    }

    /**
     * The largest number of key ranges that contain the same key. It is enough to check the first
     * key of each range.
     */
    private long overlapDepth() {
        return tables.stream()
                .map(SSTable::smallestKey)
                .mapToLong(
                        key ->
                                tables.stream()
                                        .filter(
                                                table ->
                                                        Arrays.compareUnsigned(
                                                                                table.smallestKey(),
                                                                                key)
                                                                        <= 0
                                                                && Arrays.compareUnsigned(
                                                                                table.greatestKey(),
                                                                                key)
                                                                        >= 0)
                                        .count())
                .max()
                .orElse(0);
    }

    private void describeTotals() {
        WriteTotals totals = manifest.totals();
        line("");
        line(
                "write amplification %.2f: %s flushed and %s compacted for %s of keys and values, the log not counted",
                totals.writeAmplification(),
                bytes(totals.flushedBytes()),
                bytes(totals.compactedBytes()),
                bytes(totals.acceptedBytes()));
        long tableBytes = tables.stream().mapToLong(SSTable::fileBytes).sum();
        if (!readsEverything) {
            line(
                    "space amplification not known without reading all entries; tables take %s",
                    bytes(tableBytes));
            return;
        }
        Live live = readEverything();
        line(
                "space amplification %.2f: tables take %s for %s of %s",
                live.bytes == 0 ? 0 : (double) tableBytes / live.bytes,
                bytes(tableBytes),
                counted(live.entries, "live entry", "live entries"),
                bytes(live.bytes));
        line("all blocks were read, and none is damaged");
    }

    private record Live(long entries, long bytes) {}

    private Live readEverything() {
        long entries = 0;
        long liveBytes = 0;
        List<EntryCursor> cursors = tables.stream().map(table -> table.cursor(null, null)).toList();
        try (MergingCursor merged = new MergingCursor(cursors)) {
            while (merged.next()) {
                if (!merged.entry().isTombstone()) {
                    entries++;
                    liveBytes += merged.entry().keyLength() + merged.entry().valueLength();
                }
            }
        }
        return new Live(entries, liveBytes);
    }

    private void line(String format, Object... arguments) {
        lines.add(String.format(Locale.ROOT, format, arguments).stripTrailing());
    }

    private static String counted(long count, String one, String several) {
        return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? one : several);
    }

    private static String bytes(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        int unit = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
        return String.format(
                Locale.ROOT, "%.1f %ciB", bytes / Math.pow(1024, unit), " KMGTPE".charAt(unit));
    }

    /** A key as text if it is visible ASCII, and in hexadecimal if not; shortened. */
    private static String text(byte[] key) {
        byte[] shown = Arrays.copyOf(key, Math.min(key.length, KEY_BYTES_SHOWN));
        boolean isVisible = true;
        for (byte b : shown) {
            isVisible &= b > ' ' && b < 0x7f;
        }
        String text =
                isVisible ? new String(shown, US_ASCII) : "0x" + HexFormat.of().formatHex(shown);
        return key.length > KEY_BYTES_SHOWN ? text + "..." : text;
    }
}
