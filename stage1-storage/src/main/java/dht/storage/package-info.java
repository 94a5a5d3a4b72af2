/**
 * A versioned key-value store on one disk. {@link dht.storage.Dao} is its interface. Reads return
 * {@link dht.storage.ReadOutcome}, {@link dht.storage.EntryCursor} and {@link
 * dht.storage.EntryView}. A write notifies a {@link dht.storage.WriteListener} when it is durable;
 * with {@link dht.storage.AwaitedWrite}, a thread waits for that. {@link
 * dht.storage.StorageOptions} and {@link dht.storage.Durability} are the options. {@link
 * dht.storage.CorruptionException} and {@link dht.storage.StorageUnavailableException} are the
 * failures; a {@link dht.storage.LostRange} is what damage has made unreadable.
 *
 * <p>The engine, {@link dht.storage.lsm.LsmDao}, is in the packages below. Other code uses them
 * only to open an engine.
 */
package dht.storage;
