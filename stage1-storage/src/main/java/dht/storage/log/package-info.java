/**
 * The write-ahead log: {@link dht.storage.log.LogLayout} is the format, {@link
 * dht.storage.log.WriteAheadLog} appends and syncs, {@link dht.storage.log.LogRecords} reads in
 * place, {@link dht.storage.log.LogReplay} recovers what a crash left.
 */
package dht.storage.log;
