package dht.repair;

import dht.cluster.Topology;
import dht.command.DurationConverter;
import dht.command.Range;
import dht.command.SizeConverter;
import dht.command.StorageFlags;
import dht.peer.Credentials;
import dht.peer.PeerFlags;
import dht.replication.ReplicationFlags;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Command-line options for healing. Set once by the command line, then read only. */
public final class RepairFlags {
    @Option(
            names = "--read-repair",
            paramLabel = "on|off",
            defaultValue = "on",
            converter = SwitchConverter.class,
            description =
                    "Replicas that have answered a read with an older version, or with none, get the newest. off: they"
                            + " keep what they have.")
    private Switch readRepair;

    @Range(from = "1", to = "1000000")
    @Option(
            names = "--repair-rate",
            paramLabel = "N",
            defaultValue = "2000",
            description =
                    "The most keys a second that each repairing thread handles. More: replicas agree sooner, and"
                            + " clients get less of the machine meanwhile.")
    private int repairRate;

    @Range(from = "0ms", to = "3650d")
    @Option(
            names = "--repair-interval",
            paramLabel = "TIME",
            defaultValue = "1h",
            converter = DurationConverter.class,
            description =
                    "Time between two comparisons of the same two nodes. In a comparison, they bring each other the"
                            + " versions that are missing. They also compare when one of them starts, and when it"
                            + " answers again after requests have failed. 0s: only on demand.")
    private Duration repairInterval;

    @Range(from = "0ms", to = "3650d")
    @Option(
            names = "--hint-window",
            paramLabel = "TIME",
            defaultValue = "3h",
            converter = DurationConverter.class,
            description =
                    "How long a write is kept for a replica that missed it, at most --gc-grace. 0s: it is not kept.")
    private Duration hintWindow;

    @Range(from = "0", to = "1024g")
    @Option(
            names = "--hint-size-max",
            paramLabel = "SIZE",
            defaultValue = "256m",
            converter = SizeConverter.class,
            description =
                    "Disk space for all writes that are kept for other nodes (hints). Further writes are not kept.")
    private long hintSizeMax;

    @Option(
            names = "--rebuild",
            paramLabel = "on|off",
            defaultValue = "on",
            converter = SwitchConverter.class,
            description =
                    "A node whose data is lost, or that was away for longer than --gc-grace, answers no reads until it has"
                            + " received its entries from the other nodes. off: it answers at once with what it has, so"
                            + " reads may miss acknowledged writes, and deleted keys may come back.")
    private Switch rebuild;

    @Option(
            names = "--mend",
            paramLabel = "on|off",
            defaultValue = "on",
            converter = SwitchConverter.class,
            description =
                    "Keys that were lost with a damaged block are received from the other nodes. off: reads of them fail on"
                            + " this node.")
    private Switch mend;

    @Range(from = "1k", to = "1024g")
    @Option(
            names = "--rebuild-rate",
            paramLabel = "SIZE",
            defaultValue = "5m",
            converter = SizeConverter.class,
            description =
                    "The most bytes a second that a rebuild, or the mending of damage, receives.")
    private long rebuildRate;

    /**
     * Reads this node's state. Must be called before the storage is opened, because old data may
     * have to be moved away.
     *
     * @throws IOException if the data directory cannot be used
     */
    public NodeReplacement open(
            Topology topology,
            Credentials credentials,
            PeerFlags peers,
            ReplicationFlags replication,
            StorageFlags storage)
            throws IOException {
        Duration grace = replication.gcGrace();
        return NodeReplacement.open(
                topology,
                credentials,
                peers.options(topology),
                storage.data(),
                new RebuildOptions(rebuild == Switch.ON, mend == Switch.ON, rebuildRate, grace),
                options(grace, storage.data()));
    }

    /**
     * The settings, from the options.
     *
     * @param tombstoneGrace the shortest time for which each node keeps a tombstone
     * @param data the data directory
     */
    RepairOptions options(Duration tombstoneGrace, Path data) {
        // A hint that is older than the grace period could bring a deleted key back.
        Duration window = hintWindow.compareTo(tombstoneGrace) < 0 ? hintWindow : tombstoneGrace;
        return new RepairOptions(
                readRepair == Switch.ON,
                repairRate,
                window,
                hintSizeMax,
                data.resolve("hints"),
                tombstoneGrace,
                repairInterval);
    }

    /** Not a boolean, because picocli reads a boolean option as a flag without a value. */
    enum Switch {
        ON,
        OFF
    }

    /** Parses {@code on} and {@code off}. */
    static final class SwitchConverter implements ITypeConverter<Switch> {
        @Override
        public Switch convert(String value) {
            return switch (value) {
                case "on" -> Switch.ON;
                case "off" -> Switch.OFF;
                default -> throw new TypeConversionException("'" + value + "' is not on or off");
            };
        }
    }
}
