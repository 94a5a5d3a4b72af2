/**
 * The engine's access to the disk. A {@link dht.storage.file.StorageDirectory} contains files. A
 * {@link dht.storage.file.FileWriter} writes a file from its beginning to its end, a {@link
 * dht.storage.file.MappedFile} reads one, and a {@link dht.storage.file.WritableMapping} reads and
 * writes one. {@link dht.storage.file.LocalDirectory} is the directory on a real disk.
 */
package dht.storage.file;
