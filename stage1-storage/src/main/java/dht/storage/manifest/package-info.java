/**
 * Which tables and logs are live: {@link dht.storage.manifest.Manifest} says it, {@link
 * dht.storage.manifest.ManifestFile} keeps it and changes it atomically, {@link
 * dht.storage.manifest.WriteTotals} adds up what was written.
 */
package dht.storage.manifest;
