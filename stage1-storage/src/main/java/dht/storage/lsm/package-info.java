/**
 * The storage engine. {@link dht.storage.lsm.LsmDao} is its entry point. {@link
 * dht.storage.lsm.Recovery} reads the state of a data directory. {@link dht.storage.lsm.Snapshots}
 * has the current {@link dht.storage.lsm.Snapshot}, which is a list of memtables and tables.
 *
 * <p>Writing: {@link dht.storage.lsm.WritePath} adds writes to the log and the memtable. {@link
 * dht.storage.lsm.GroupCommit} syncs them, one {@link dht.storage.lsm.WriteGroup} at a time, after
 * a {@link dht.storage.lsm.CommitDelay}. {@link dht.storage.lsm.SpareMaker} prepares the next
 * memtable, from a {@link dht.storage.lsm.MemTablePool}. {@link dht.storage.lsm.Flusher} and {@link
 * dht.storage.lsm.Compactor} write tables with a {@link dht.storage.lsm.SSTableFactory}. Both run
 * as a {@link dht.storage.lsm.BackgroundTask}, and a {@link dht.storage.lsm.Throttle} limits how
 * much processor time they use. {@link dht.storage.lsm.Scrubber} reads all tables to find damage.
 *
 * <p>Reading: {@link dht.storage.lsm.NewestVersion} finds one entry, and {@link
 * dht.storage.lsm.RangeCursor} iterates over a range. A {@link dht.storage.lsm.Pin} contains what a
 * slow reader still needs. {@link dht.storage.lsm.Pins} limits how much is kept for slow readers,
 * and computes it with {@link dht.storage.lsm.KeptPin}. {@link dht.storage.lsm.Reclaimer} frees
 * what is no longer used. {@link dht.storage.lsm.Uninterruptibly} waits for threads.
 */
package dht.storage.lsm;
