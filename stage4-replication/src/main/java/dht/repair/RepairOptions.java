package dht.repair;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How a node heals replicas. Immutable.
 *
 * @param isReadRepaired whether replicas that lack what a read has met get it
 * @param keysPerSecondMax for each thread that heals
 * @param hintWindow after which a hint is too old; zero: there are none
 * @param hintBytesMax that all hints may take together on the disk
 * @param hintDirectory where they are kept
 * @param tombstoneGrace after which a replica may have dropped a tombstone for good
 */
public record RepairOptions(
        boolean isReadRepaired,
        int keysPerSecondMax,
        Duration hintWindow,
        long hintBytesMax,
        Path hintDirectory,
        Duration tombstoneGrace) {}
