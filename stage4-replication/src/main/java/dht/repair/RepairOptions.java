package dht.repair;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings for healing replicas. Immutable.
 *
 * @param isReadRepaired whether a read repairs replicas that have an older version
 * @param keysPerSecondMax the rate limit of each healing thread
 * @param hintWindow the age at which a hint is dropped; zero: no hints are kept
 * @param hintBytesMax how much disk space all hints together may use
 * @param hintDirectory the directory of the hints
 * @param tombstoneGrace the age at which a replica may delete a tombstone
 * @param compareInterval the time between two comparisons with the same node; zero: only on demand
 */
public record RepairOptions(
        boolean isReadRepaired,
        int keysPerSecondMax,
        Duration hintWindow,
        long hintBytesMax,
        Path hintDirectory,
        Duration tombstoneGrace,
        Duration compareInterval) {}
