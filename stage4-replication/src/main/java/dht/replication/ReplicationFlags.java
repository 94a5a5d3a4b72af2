package dht.replication;

import dht.command.DurationConverter;
import dht.command.Range;
import java.time.Duration;
import java.time.InstantSource;
import picocli.CommandLine.Option;

/**
 * Command-line options: what reads promise, how long deletions are kept, and how far ahead clocks
 * may be. Set once by the command line, then read only.
 */
public final class ReplicationFlags {
    @Range(from = "0ms", to = "36500d")
    @Option(
            names = "--gc-grace",
            paramLabel = "TIME",
            defaultValue = "10d",
            converter = DurationConverter.class,
            description =
                    "The shortest time for which a deletion is kept. A node that was away for longer is rebuilt"
                            + " (see --rebuild). A node that was cut off for longer answers no reads until it is"
                            + " restarted. With --rebuild off it may bring deleted keys back.")
    private Duration gcGrace;

    @Range(from = "0ms", to = "36500d")
    @Option(
            names = "--clock-ahead-max",
            paramLabel = "TIME",
            defaultValue = "1d",
            converter = DurationConverter.class,
            description =
                    "A stamp from another node is rejected if it is further ahead of this node's clock than this.")
    private Duration clockAheadMax;

    @Range(from = "0ms", to = "3650d")
    @Option(
            names = "--clock-behind",
            paramLabel = "TIME",
            defaultValue = "0s",
            converter = DurationConverter.class,
            description = "Sets this node's clock back, for experiments.")
    private Duration clockBehind;

    @Range(from = "0ms", to = "3650d")
    @Option(
            names = "--clock-ahead",
            paramLabel = "TIME",
            defaultValue = "0s",
            converter = DurationConverter.class,
            description = "Sets this node's clock forward, for experiments.")
    private Duration clockAhead;

    @Option(
            names = "--reads",
            paramLabel = "regular|atomic",
            defaultValue = "regular",
            description =
                    "What reads promise. regular: if ack + ack > from, a read sees every write that was acknowledged"
                            + " before it. atomic: also, no read returns an older version than an earlier read;"
                            + " a read may write before its answer, and a write first asks for the newest stamp.")
    private RegisterKind reads;

    public RegisterKind reads() {
        return reads;
    }

    public Duration gcGrace() {
        return gcGrace;
    }

    /**
     * @param greatestStoredMicros the greatest stamp in this node's data; all new stamps are
     *     greater
     * @throws IllegalArgumentException if the greatest stored stamp is further ahead of this node's
     *     clock than {@code --clock-ahead-max}
     */
    public HybridLogicalClock clock(long greatestStoredMicros) {
        Duration shift = clockAhead.minus(clockBehind);
        InstantSource timeOfDay = () -> InstantSource.system().instant().plus(shift);
        return new HybridLogicalClock(timeOfDay, clockAheadMax, greatestStoredMicros);
    }
}
