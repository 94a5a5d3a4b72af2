/**
 * A versioned key-value store on one disk. {@link dht.storage.Dao} is what it can do, {@link
 * dht.storage.ReadOutcome}, {@link dht.storage.EntryCursor} and {@link dht.storage.EntryView} are
 * what it answers, {@link dht.storage.StorageOptions} and {@link dht.storage.Durability} what one
 * can choose, {@link dht.storage.WriteListener} is notified of a durable write ({@link
 * dht.storage.AwaitedWrite} lets a thread wait for it), {@link dht.storage.CorruptionException} and
 * {@link dht.storage.StorageUnavailableException} what can go wrong.
 *
 * <p>The engine behind it, {@link dht.storage.lsm.LsmDao}, lives in the packages below; nobody
 * outside uses them but to open one.
 */
package dht.storage;
