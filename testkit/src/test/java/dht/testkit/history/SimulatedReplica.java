package dht.testkit.history;

import java.util.HashMap;
import java.util.Map;

/** The storage and the clock of one node; only versions matter. */
final class SimulatedReplica {
    /** A null value means a tombstone. */
    record Version(String value, long stamp) {
        static final Version NONE = new Version(null, Long.MIN_VALUE);
    }

    final String name;
    private final Flaw flaw;
    private final long clockOffset;
    private final Map<String, Version> versions = new HashMap<>();
    private long lastStamp;

    SimulatedReplica(String name, Flaw flaw, long clockOffset) {
        this.name = name;
        this.flaw = flaw;
        this.clockOffset = clockOffset;
    }

    long nextStamp(long now) {
        lastStamp = Math.max(lastStamp + 1, now + clockOffset);
        return lastStamp;
    }

    void observe(long stamp) {
        if (flaw != Flaw.CLOCK_NEVER_ADVANCED) {
            lastStamp = Math.max(lastStamp, stamp);
        }
    }

    /** Stores the version if it is the newest. Returns the version that was the newest before. */
    Version store(String key, Version version, long now) {
        observe(version.stamp());
        var before = read(key);
        var stamped =
                flaw == Flaw.STAMP_TAKEN_BY_EACH_REPLICA
                        ? new Version(version.value(), nextStamp(now))
                        : version;
        if (stamped.stamp() > before.stamp() || flaw == Flaw.ARRIVAL_DECIDES) {
            versions.put(key, stamped);
        }
        if (version.value() == null && flaw == Flaw.TOMBSTONE_NOT_KEPT) {
            versions.remove(key);
        }
        return before;
    }

    Version read(String key) {
        return versions.getOrDefault(key, Version.NONE);
    }
}
