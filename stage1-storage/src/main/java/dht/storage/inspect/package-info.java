/**
 * Describes a data directory: {@link dht.storage.inspect.Inspector} reads its files, {@link
 * dht.storage.inspect.Report} writes the text.
 */
package dht.storage.inspect;
