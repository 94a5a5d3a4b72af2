package dht.repair;

import dht.command.DurationConverter;
import dht.command.Range;
import dht.command.SizeConverter;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Command-line options for healing. */
public final class RepairFlags {
    @Option(
            names = "--read-repair",
            paramLabel = "on|off",
            defaultValue = "on",
            converter = SwitchConverter.class,
            description =
                    "Replicas that have answered a read with an older version get the newest. off: they keep what they"
                            + " have.")
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
            names = "--hint-window",
            paramLabel = "TIME",
            defaultValue = "3h",
            converter = DurationConverter.class,
            description =
                    "A write that a replica has missed is kept for it so long, and no longer than --gc-grace. 0s: it is"
                            + " not kept.")
    private Duration hintWindow;

    @Range(from = "0", to = "1024g")
    @Option(
            names = "--hint-size-max",
            paramLabel = "SIZE",
            defaultValue = "256m",
            converter = SizeConverter.class,
            description = "Disk that such writes may take together; more are not kept.")
    private long hintSizeMax;

    /**
     * The settings, from the options.
     *
     * @param tombstoneGrace the shortest time for which each node keeps a tombstone
     * @param data the data directory
     */
    public RepairOptions options(Duration tombstoneGrace, Path data) {
        // A hint that is older than the grace period could bring a deleted key back.
        Duration window = hintWindow.compareTo(tombstoneGrace) < 0 ? hintWindow : tombstoneGrace;
        return new RepairOptions(
                readRepair == Switch.ON,
                repairRate,
                window,
                hintSizeMax,
                data.resolve("hints"),
                tombstoneGrace);
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
