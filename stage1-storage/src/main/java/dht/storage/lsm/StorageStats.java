package dht.storage.lsm;

import dht.storage.manifest.WriteTotals;

/**
 * Statistics of an engine. Immutable.
 *
 * @param memTableCount memtables: the active one, and those that wait to be flushed
 * @param memTableBytes log bytes of these memtables, without those that were recovered
 * @param tableCount number of live tables
 * @param tableBytes size of their files
 * @param totals bytes written since the data directory was created
 * @param syncCount syncs of a log that have begun since the engine was opened
 * @param unsyncedCount number of writes that wait for a sync
 * @param stallCount how often writes began to wait for flushing, since the engine was opened;
 *     writes that wait at the same time count once
 * @param refusalCount writes refused since the engine was opened
 * @param pinnedBytes bytes of memtables, tables and copies that are kept only for slow readers
 * @param evictedReaderCount readers that were cut off to limit these bytes, since the engine was
 *     opened
 * @param damagedBlockCount blocks of live tables that could not be read, or failed their checksum
 * @param scrubbedBytes bytes of tables that were read to find damage, since the engine was opened
 */
public record StorageStats(
        int memTableCount,
        long memTableBytes,
        int tableCount,
        long tableBytes,
        WriteTotals totals,
        long syncCount,
        int unsyncedCount,
        long stallCount,
        long refusalCount,
        long pinnedBytes,
        long evictedReaderCount,
        int damagedBlockCount,
        long scrubbedBytes) {}
