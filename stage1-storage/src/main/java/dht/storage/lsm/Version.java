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
        for (int i = 0; i < this.memTables.size(); i++) { // From here on nothing can fail.
            this.memTables.get(i).retain();
        }
        for (int i = 0; i < this.tables.size(); i++) {
            this.tables.get(i).retain();
        }
    }

    List<MemTable> memTables() {
        return memTables;
    }

    List<SSTable> tables() {
        return tables;
    }

    /** This, and another memtable. */
    Version withMemTable(MemTable newest) {
        List<MemTable> more = new ArrayList<>(memTables);
        more.addFirst(newest);
        return new Version(more, tables);
    }

    /**
     * This, after a flush.
     *
     * @param table made of the memtable, or null if that held nothing
     */
    Version withFlushed(MemTable memTable, SSTable table) {
        List<MemTable> fewer = new ArrayList<>(memTables);
        fewer.remove(memTable);
        List<SSTable> more = new ArrayList<>(tables);
        if (table != null) {
            more.addFirst(table);
        }
        return new Version(fewer, more);
    }

    /**
     * This, after a compaction.
     *
     * @param inputs neighbours in the list of tables
     * @param output what becomes of them, or null if nothing remains
     */
    Version withCompacted(List<SSTable> inputs, SSTable output) {
        List<SSTable> changed = new ArrayList<>(tables);
        int first = changed.indexOf(inputs.getFirst());
        changed.removeAll(inputs);
        if (output != null) {
            changed.add(first, output);
        }
        return new Version(memTables, changed);
    }

    /** Lets go of the parts; allocates nothing, as that could fail half-way. */
    @Override
    protected void free() {
        for (int i = 0; i < memTables.size(); i++) {
            memTables.get(i).release();
        }
        for (int i = 0; i < tables.size(); i++) {
            tables.get(i).release();
        }
    }
}
