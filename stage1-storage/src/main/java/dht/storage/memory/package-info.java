/**
 * Bytes outside the heap. {@link dht.storage.memory.Layouts} describes numbers, {@link
 * dht.storage.memory.Bytes} compares keys, {@link dht.storage.memory.Checksum} computes checksums,
 * {@link dht.storage.memory.MappedMemory} copies bytes out of mapped files that may not be
 * readable, {@link dht.storage.memory.GrowableMemory} is a buffer for bytes to write, and {@link
 * dht.storage.memory.RefCounted} frees shared memory when it is not used any more.
 */
package dht.storage.memory;
