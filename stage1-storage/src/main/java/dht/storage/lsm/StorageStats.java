package dht.storage.lsm;

import dht.storage.manifest.WriteTotals;

/**
 * What an engine holds and has done.
 *
 * @param memTableCount written to, or waiting to be flushed
 * @param memTableBytes of log that these were written to
 * @param tableCount live tables
 * @param tableBytes size of their files
 * @param totals bytes written since the data directory was made
 * @param syncCount how often writes were synced, since the engine was opened
 * @param unsyncedCount writes that wait for a sync
 * @param stallCount how often writes had to wait for flushing, since the engine was opened
 * @param refusalCount writes refused since the engine was opened
 * @param pinnedBytes of memtables, tables and copies that are kept for slow readers alone
 * @param evictedReaderCount readers that were cut off for that, since the engine was opened
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
        long evictedReaderCount) {}
