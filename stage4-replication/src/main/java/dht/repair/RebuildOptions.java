package dht.repair;

import java.time.Duration;

/**
 * The settings for a node whose data was lost or is too old. Immutable.
 *
 * @param isOn whether it is rebuilt
 * @param bytesPerSecondMax how fast a rebuild receives entries
 * @param grace how long each node keeps a tombstone at least
 */
public record RebuildOptions(boolean isOn, long bytesPerSecondMax, Duration grace) {}
