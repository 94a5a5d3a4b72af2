package dht.storage.lsm;

import dht.storage.memory.RefCounted;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.List;

/**
 * What an engine consists of at one moment: all its memtables and tables. Never changes; a flush or
 * a compaction puts another one in its place. Who holds on to a version holds on to all that it is
 * made of, so a reader takes one hold, and sees everything as of then.
 */
final class Version extends RefCounted {
    private final List<MemTable> memTables;
    private final List<SSTable> tables;

    /**
     * Takes hold of the parts.
     *
     * @param memTables from the newest to the oldest
     * @param tables from the newest to the oldest, all older than any memtable
     */
    Version(List<MemTable> memTables, List<SSTable> tables) {
        this.memTables = List.copyOf(memTables);
        this.tables = List.copyOf(tables);
        this.memTables.forEach(RefCounted::retain);
        this.tables.forEach(RefCounted::retain);
    }

    List<MemTable> memTables() {
        return memTables;
    }

    List<SSTable> tables() {
        return tables;
    }

    List<MemTable> memTablesWith(MemTable newest) {
        List<MemTable> more = new ArrayList<>(memTables);
        more.addFirst(newest);
        return more;
    }

    List<MemTable> memTablesWithout(MemTable memTable) {
        List<MemTable> fewer = new ArrayList<>(memTables);
        fewer.remove(memTable);
        return fewer;
    }

    /**
     * @param flushed the newest table, or null if there is none
     */
    List<SSTable> tablesWith(SSTable flushed) {
        List<SSTable> more = new ArrayList<>(tables);
        if (flushed != null) {
            more.addFirst(flushed);
        }
        return more;
    }

    /**
     * @param inputs neighbours in the list of tables
     * @param output what becomes of them, or null if nothing remains
     */
    List<SSTable> tablesWith(List<SSTable> inputs, SSTable output) {
        List<SSTable> changed = new ArrayList<>(tables);
        int first = changed.indexOf(inputs.getFirst());
        changed.removeAll(inputs);
        if (output != null) {
            changed.add(first, output);
        }
        return changed;
    }

    @Override
    protected void free() {
        memTables.forEach(RefCounted::release);
        tables.forEach(RefCounted::release);
    }
}
