/**
 * A look into the files: {@link dht.storage.inspect.Inspector} reads, {@link
 * dht.storage.inspect.Report} tells.
 */
package dht.storage.inspect;
