/**
 * The disk, as the engine sees it: a {@link dht.storage.file.StorageDirectory} of files that are
 * written front to back by a {@link dht.storage.file.FileWriter}, read as a {@link
 * dht.storage.file.MappedFile} or stored to as a {@link dht.storage.file.WritableMapping}. {@link
 * dht.storage.file.LocalDirectory} is the real one.
 */
package dht.storage.file;
