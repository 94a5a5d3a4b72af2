/**
 * Bytes off the heap: {@link dht.storage.memory.Layouts} says how numbers lie, {@link
 * dht.storage.memory.Bytes} orders keys, {@link dht.storage.memory.Checksum} guards them, {@link
 * dht.storage.memory.MappedMemory} copies them out of files that may not be readable, {@link
 * dht.storage.memory.GrowableMemory} collects what is written, {@link
 * dht.storage.memory.RefCounted} decides when memory that is shared may go.
 */
package dht.storage.memory;
