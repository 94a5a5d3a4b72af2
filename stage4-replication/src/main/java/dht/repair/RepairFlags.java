package dht.repair;

import dht.command.Range;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Whether and how replicas that lack a version get it. */
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
                    "Keys a second that are healed at most, by each thread that heals. More: sooner alike, and less"
                            + " left for clients meanwhile.")
    private int repairRate;

    /**
     * What the options ask for.
     *
     * @param tombstoneGrace how long each node keeps a tombstone at least
     */
    public RepairOptions options(Duration tombstoneGrace) {
        return new RepairOptions(readRepair == Switch.ON, repairRate, tombstoneGrace);
    }

    /** Not a boolean: that would be a flag without a value. */
    enum Switch {
        ON,
        OFF
    }

    /** Understands {@code on} and {@code off}. */
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
