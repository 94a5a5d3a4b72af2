/**
 * The record of the live tables and logs. {@link dht.storage.manifest.Manifest} is this record,
 * {@link dht.storage.manifest.ManifestFile} stores it and replaces it atomically, and {@link
 * dht.storage.manifest.WriteTotals} counts the bytes that were written.
 */
package dht.storage.manifest;
