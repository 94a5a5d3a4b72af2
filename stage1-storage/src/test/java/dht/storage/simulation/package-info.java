/**
 * A disk that a test can bend. {@link dht.storage.simulation.SimulatedDisk} is a disk in memory
 * that remembers what was synced; {@link dht.storage.simulation.DiskImage} is what a crash left of
 * it, to be damaged and started again; {@link dht.storage.simulation.HookedDirectory} lets a test
 * look at, delay or fail each {@link dht.storage.simulation.Operation} of any directory.
 */
package dht.storage.simulation;
