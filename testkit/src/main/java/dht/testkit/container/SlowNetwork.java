package dht.testkit.container;

import dht.testkit.node.Commands;
import dht.testkit.node.DiskKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Slows down what a container sends over the cluster's network. It runs {@code tc} in the
 * container's network namespace. It adds a delay, or limits the rate if the kernel has no delay
 * module ({@code sch_netem}): then packets queue. Stateless.
 */
final class SlowNetwork {
    // With either, Node.SLOW_BYTES take Node.SLOW_MILLIS_MIN or more: because of the delay, or
    // because the burst is smaller.
    private static final List<String> DELAY = List.of("netem", "delay", "30ms", "15ms");
    private static final List<String> RATE =
            List.of("tbf", "rate", "1mbit", "burst", "16kb", "latency", "300ms");

    private SlowNetwork() {}

    /** Why the network cannot be slowed down here; empty if it can. */
    static Optional<String> whyNot() {
        var isRoot = DiskKind.SMALL.whyNot().isEmpty();
        var hasTools =
                Commands.tryRun(List.of("nsenter", "--version")).exitCode() == 0
                        && Commands.tryRun(List.of("tc", "-Version")).exitCode() == 0;
        return isRoot && hasTools
                ? Optional.empty()
                : Optional.of(
                        "a slow network needs root, nsenter and tc on the machine of the Docker daemon");
    }

    /**
     * Begins to slow down what the container sends.
     *
     * @param pid the container's process, in this machine's numbering
     * @param address the container's address on the network to slow down
     */
    static void begin(long pid, String address) {
        var device = device(pid, address);
        if (Commands.tryRun(change(pid, device, DELAY)).exitCode() != 0) {
            Commands.run(change(pid, device, RATE));
        }
    }

    /** Ends it. Has no effect if the network is not slow. */
    static void end(long pid, String address) {
        Commands.tryRun(within(pid, "tc", "qdisc", "del", "dev", device(pid, address), "root"));
    }

    private static List<String> change(long pid, String device, List<String> how) {
        var command = new ArrayList<>(within(pid, "tc", "qdisc", "replace", "dev", device, "root"));
        command.addAll(how);
        return command;
    }

    /** {@code 15: eth1 inet 198.18.0.16/18 …} */
    private static String device(long pid, String address) {
        var shown =
                Commands.tryRun(within(pid, "ip", "-o", "-4", "address", "show", "to", address));
        var words = shown.output().split("\\s+", -1);
        if (shown.exitCode() != 0 || words.length < 2) {
            throw new IllegalStateException(
                    "pid=%d has no device with address=%s: %s"
                            .formatted(pid, address, shown.output()));
        }
        return words[1];
    }

    private static List<String> within(long pid, String... command) {
        var words =
                new ArrayList<>(List.of("nsenter", "--target", String.valueOf(pid), "--net", "--"));
        words.addAll(List.of(command));
        return words;
    }
}
