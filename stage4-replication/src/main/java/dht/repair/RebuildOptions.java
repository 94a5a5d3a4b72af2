package dht.repair;

import java.time.Duration;

/**
 * The settings for a node whose data was lost, was damaged or is too old. Immutable.
 *
 * @param isOn whether such a node is rebuilt
 * @param isMended whether damaged blocks of its tables are replaced
 * @param bytesPerSecondMax how fast a rebuild, or a mending, receives entries
 * @param grace the shortest time for which each node keeps a tombstone
 */
public record RebuildOptions(
        boolean isOn, boolean isMended, long bytesPerSecondMax, Duration grace) {}
