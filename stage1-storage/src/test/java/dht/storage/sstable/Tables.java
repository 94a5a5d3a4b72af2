package dht.storage.sstable;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.TextDao;
import dht.storage.file.FileWriter;
import dht.storage.memory.RefCounted;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Tables on a simulated disk, written and read as text: {@code key=value@stamp}, or {@code
 * key=deleted@stamp}. Closing it closes all tables that it has opened.
 */
public final class Tables implements AutoCloseable {
    private final SimulatedDisk disk = new SimulatedDisk();
    private final List<SSTable> opened = new ArrayList<>();

    /** A window on an entry, as text tells it. */
    public static EntryView view(String entry) {
        int equals = entry.indexOf('=');
        int at = entry.lastIndexOf('@');
        String value = entry.substring(equals + 1, at);
        boolean isTombstone = value.equals("deleted");
        byte[] bytes = TextDao.bytes(entry.substring(0, equals) + value);
        EntryView view = new EntryView();
        view.wrap(
                MemorySegment.ofArray(bytes),
                0,
                equals,
                equals,
                isTombstone ? EntryView.TOMBSTONE : value.length(),
                Long.parseLong(entry.substring(at + 1)));
        return view;
    }

    public static String text(EntryView entry) {
        String value = entry.isTombstone() ? "deleted" : TextDao.text(entry.copyValue());
        return TextDao.text(entry.copyKey()) + "=" + value + "@" + entry.timestampMicros();
    }

    public SimulatedDisk disk() {
        return disk;
    }

    /** Writes a table that is opened later. */
    public SSTableWriter writer(long number, long entryCountMax, int blockBytes, int bloomBits)
            throws IOException {
        return new SSTableWriter(disk.directory(), number, entryCountMax, blockBytes, bloomBits);
    }

    void write(long number, int blockBytes, int bloomBits, List<String> entries)
            throws IOException {
        try (SSTableWriter writer = writer(number, entries.size(), blockBytes, bloomBits)) {
            for (String entry : entries) {
                writer.add(view(entry));
            }
            writer.finish();
        }
    }

    byte[] content(long number) {
        return disk.image().content(SSTable.fileName(number));
    }

    public SSTable open(long number) throws IOException {
        SSTable table = SSTable.open(disk.directory(), number, Runnable::run);
        opened.add(table);
        return table;
    }

    SSTable open(long number, byte[] content) throws IOException {
        try (FileWriter writer = disk.directory().create(SSTable.fileName(number))) {
            writer.write(MemorySegment.ofArray(content));
        }
        return open(number);
    }

    /** A table of these entries. */
    public SSTable make(long number, List<String> entries) throws IOException {
        write(number, 64, 10, entries);
        return open(number);
    }

    /** The entry of a key, or "absent". */
    static String get(SSTable table, String key) {
        EntryView view = new EntryView();
        byte[] bytes = TextDao.bytes(key);
        return table.find(bytes, KeyHash.of(bytes), view) ? text(view) : "absent";
    }

    public static List<String> all(SSTable table) {
        return rest(table.cursor(null, null));
    }

    public static List<String> rest(EntryCursor cursor) {
        List<String> entries = new ArrayList<>();
        try (cursor) {
            while (cursor.next()) {
                entries.add(text(cursor.entry()));
            }
        }
        return entries;
    }

    @Override
    public void close() {
        opened.forEach(RefCounted::release);
        disk.close();
    }
}
