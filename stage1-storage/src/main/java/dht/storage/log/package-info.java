/**
 * The write-ahead log. {@link dht.storage.log.LogLayout} is the file format. {@link
 * dht.storage.log.WriteAheadLog} appends and syncs records. {@link dht.storage.log.LogRecords}
 * reads single records. {@link dht.storage.log.LogReplay} reads all records after a restart. {@link
 * dht.storage.log.LogFiles} names the files.
 */
package dht.storage.log;
