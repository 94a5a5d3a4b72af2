package dht.repair;

import java.time.Duration;

/**
 * The settings for a node whose data was lost or is too old. Immutable.
 *
 * @param isOn whether such a node is rebuilt
 * @param bytesPerSecondMax how fast a rebuild receives entries
 * @param grace the shortest time for which each node keeps a tombstone
 */
public record RebuildOptions(boolean isOn, long bytesPerSecondMax, Duration grace) {}
