/**
 * The engine. {@link dht.storage.lsm.LsmDao} is its face. {@link dht.storage.lsm.Recovery} finds
 * out what a directory holds; {@link dht.storage.lsm.VersionSet} says which memtables and tables
 * make up a {@link dht.storage.lsm.Version}; {@link dht.storage.lsm.WritePath} takes writes, {@link
 * dht.storage.lsm.GroupCommit} syncs them, a {@link dht.storage.lsm.WriteGroup} at a time, {@link
 * dht.storage.lsm.SpareMaker} gives memtables from a {@link dht.storage.lsm.MemTablePool}, {@link
 * dht.storage.lsm.Flusher} and {@link dht.storage.lsm.Compactor} turn them into tables with a
 * {@link dht.storage.lsm.SSTableFactory}, each as a {@link dht.storage.lsm.BackgroundTask} at a
 * {@link dht.storage.lsm.Throttle}; {@link dht.storage.lsm.NewestVersion} finds one entry and
 * {@link dht.storage.lsm.RangeCursor} walks; what a slow reader holds is a {@link
 * dht.storage.lsm.Pin}, and {@link dht.storage.lsm.Pins} bounds what is kept for them, as a {@link
 * dht.storage.lsm.KeptPin} tells; {@link dht.storage.lsm.Reclaimer} frees what nobody reads any
 * more; {@link dht.storage.lsm.Uninterruptibly} waits for threads.
 */
package dht.storage.lsm;
