package dht.repair;

import java.time.Duration;

/**
 * How a node heals replicas. Immutable.
 *
 * @param isReadRepaired whether replicas that lack what a read has met get it
 * @param keysPerSecondMax for each thread that heals
 * @param tombstoneGrace after which a replica may have dropped a tombstone for good
 */
public record RepairOptions(
        boolean isReadRepaired, int keysPerSecondMax, Duration tombstoneGrace) {}
