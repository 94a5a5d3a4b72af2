package dht.storage.lsm;

import dht.storage.memory.RefCounted;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.List;

/**
 * All memtables and tables of an engine at one moment. A snapshot never changes; a flush or a
 * compaction replaces it by a new one. A reader retains one snapshot, which keeps all its memtables
 * and tables, so the reader sees all entries as they were at that moment. Immutable and
 * thread-safe.
 */
final class Snapshot extends RefCounted {
    /** If there are more, the disk is failing, and nothing more should be written to it. */
    static final int DAMAGED_TABLES_MAX = 16;

    private final List<MemTable> memTables;
    private final List<SSTable> tables;

    /**
     * Retains all memtables and tables.
     *
     * @param memTables from the newest to the oldest
     * @param tables from the newest to the oldest, all older than any memtable
     */
    Snapshot(List<MemTable> memTables, List<SSTable> tables) {
        this.memTables = List.copyOf(memTables);
        this.tables = List.copyOf(tables);
        for (int i = 0; i < this.memTables.size(); i++) { // From here, nothing can fail.
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

    /** This snapshot with another memtable. */
    Snapshot withMemTable(MemTable newest) {
        List<MemTable> more = new ArrayList<>(memTables);
        more.addFirst(newest);
        return new Snapshot(more, tables);
    }

    /**
     * This snapshot after a flush.
     *
     * @param table the table written from the memtable, or null if the memtable was empty
     */
    Snapshot withFlushed(MemTable memTable, SSTable table) {
        List<MemTable> fewer = new ArrayList<>(memTables);
        fewer.remove(memTable);
        List<SSTable> more = new ArrayList<>(tables);
        if (table != null) {
            more.addFirst(table);
        }
        return new Snapshot(fewer, more);
    }

    /**
     * This snapshot after a compaction.
     *
     * @param inputs adjacent tables in the list
     * @param output the merged table, or null if no entry remains
     */
    Snapshot withCompacted(List<SSTable> inputs, SSTable output) {
        List<SSTable> changed = new ArrayList<>(tables);
        int first = changed.indexOf(inputs.getFirst());
        changed.removeAll(inputs);
        if (output != null) {
            changed.add(first, output);
        }
        return new Snapshot(memTables, changed);
    }

    /**
     * How many of these tables count towards the limit. A damaged table is not merged, and the
     * tables before it are not merged with those after it. So each damaged table and one other do
     * not count, up to {@value #DAMAGED_TABLES_MAX} damaged ones. Otherwise there would be no room
     * for a flush, which mending a table needs.
     */
    static int countedTables(List<SSTable> tables) {
        int damaged = 0;
        for (SSTable table : tables) {
            damaged += table.damage().isEmpty() ? 0 : 1;
        }
        return tables.size() - 2 * Math.min(damaged, DAMAGED_TABLES_MAX);
    }

    /**
     * Releases all memtables and tables. Allocates nothing, because that could fail in the middle.
     */
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
