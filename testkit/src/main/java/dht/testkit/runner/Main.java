package dht.testkit.runner;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.Contract;
import dht.testkit.junit.ContractExtension;
import dht.testkit.node.CommandLine;
import dht.testkit.node.CommandProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line that runs a stage's suite against a server in any language. For one thread. */
@Command(
        name = "java -jar testkit.jar",
        description = {
            "Runs the tests of a stage against any server that can be started from a command line.",
            "Exit code: 0 all passed, 1 some failed, 2 the options are wrong."
        },
        usageHelpAutoWidth = true,
        sortOptions = false)
public final class Main implements Callable<Integer> {
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int MISUSED = 2;
    private static final int FIRST_CLUSTER_STAGE = 3;
    private static final SortedMap<Integer, List<Class<? extends Contract>>> SUITES =
            new TreeMap<>(
                    Map.of(
                            1, List.of(Stage1Suite.class),
                            2, List.of(Stage2Suite.class),
                            3, List.of(Stage2Suite.class, ShardingSuite.class),
                            4, List.of(Stage2Suite.class, Stage4Suite.class),
                            5, List.of(Stage2Suite.class, Stage4Suite.class)));

    @Option(
            names = "--stage",
            required = true,
            paramLabel = "N",
            description = "The stage whose promises the server must keep.")
    private int stage;

    @Option(
            names = "--server",
            required = true,
            paramLabel = "COMMAND",
            description = {
                "How to start the server, for example 'python3 server.py --port {port} --data {data}'.",
                "{port}, {data}, {self} and {cluster} are replaced. The command is split as by a shell."
            })
    private String server;

    @Option(names = "--strict", description = "A test that can't run counts as failed.")
    private boolean strict;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "REGEX",
            description =
                    "Tests whose 'Contract.name' has a match; several with commas or --only again.")
    private List<String> only = List.of();

    @Option(
            names = "--memory-mib",
            paramLabel = "MIB",
            description =
                    "The memory limit that the command sets for its server, in MiB; needed to test ranges larger than that.")
    private Integer memoryMib;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long an answer may take, in seconds; ${DEFAULT-VALUE} by default.")
    private int patienceSeconds;

    @Option(
            names = "--seed",
            paramLabel = "SEED",
            description = "Repeats the random choices of another run.")
    private Long seed;

    @Option(
            names = "--fault-seconds",
            paramLabel = "SECONDS",
            description = "Minimum duration of the load in a fault test, in seconds; 4 by default.")
    private Integer faultSeconds;

    @Option(
            names = "--fault-runs",
            paramLabel = "N",
            description = "Number of runs of each fault test; 1 by default.")
    private Integer faultRuns;

    @Option(
            names = "--results",
            paramLabel = "FILE",
            description =
                    "Also write the results to a file for programs, one JSON object per line.")
    private Path results;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this.")
    @SuppressWarnings("UnusedVariable") // Only picocli uses it.
    private boolean help;

    @Spec private CommandSpec spec;

    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** The exit code. */
    static int run(String... args) {
        return commandLine().execute(args);
    }

    static picocli.CommandLine commandLine() {
        return new picocli.CommandLine(new Main())
                .setParameterExceptionHandler((misuse, _) -> complain(misuse));
    }

    private static int complain(ParameterException misuse) {
        var what = misuse.getMessage().lines().findFirst().orElse("");
        misuse.getCommandLine().getErr().println("testkit: " + what + " (see --help)");
        return MISUSED;
    }

    @Override
    public Integer call() {
        if (patienceSeconds < 1) {
            throw misuse("--patience=%d must be at least 1".formatted(patienceSeconds));
        }
        var seedUsed = seed != null ? seed : ThreadLocalRandom.current().nextLong(1_000_000_000);
        var run =
                new SuiteRun(suites(), factory())
                        .only(filter())
                        .parameter(ContractExtension.PATIENCE_MILLIS, patienceSeconds * 1000L)
                        .parameter(ContractExtension.SEED, seedUsed);
        tune(run, FaultContract.SECONDS, "--fault-seconds", faultSeconds);
        tune(run, FaultContract.RUNS, "--fault-runs", faultRuns);
        if (run.names().isEmpty()) {
            throw misuse("--only=%s matches no test".formatted(String.join(",", only)));
        }
        System.out.printf("stage %d, server: %s, --seed %d%n", stage, server, seedUsed);
        var report = new Report(System.out, isTerminal());
        Runtime.getRuntime().addShutdownHook(new Thread(report::mute));
        run(run, report);
        report.end();
        return report.failed() > 0 || (strict && report.notRun() > 0) ? FAILED : PASSED;
    }

    private void run(SuiteRun run, Report report) {
        if (results == null) {
            run.run(report::add);
            return;
        }
        try (var lines = new ResultLines(results)) {
            lines.plan(run.names());
            run.run(
                    result -> {
                        report.add(result);
                        lines.add(result);
                    });
        } catch (IOException e) {
            throw misuse("--results=%s cannot be written: %s".formatted(results, e.getMessage()));
        }
    }

    private void tune(SuiteRun run, String parameter, String option, Integer value) {
        if (value != null && value < 1) {
            throw misuse("%s=%d must be at least 1".formatted(option, value));
        }
        if (value != null) {
            run.parameter(parameter, value);
        }
    }

    private List<Class<? extends Contract>> suites() {
        if (!SUITES.containsKey(stage)) {
            throw misuse("--stage=%d has no suite; there are %s".formatted(stage, SUITES.keySet()));
        }
        return SUITES.get(stage);
    }

    private CommandProcess factory() {
        var command = parse(server);
        var needed = new ArrayList<>(List.of("port", "data"));
        if (stage >= FIRST_CLUSTER_STAGE) {
            needed.addAll(List.of("self", "cluster"));
        }
        for (var name : needed) {
            if (!command.mentions(name)) {
                throw misuse(
                        "--server has no {%s}: add it, so that the server gets its %s"
                                .formatted(name, name));
            }
        }
        if (memoryMib != null && memoryMib < 1) {
            throw misuse("--memory-mib=%d must be at least 1".formatted(memoryMib));
        }
        var factory = CommandProcess.of(command);
        return memoryMib == null ? factory : factory.memoryBytesMax((long) memoryMib << 20);
    }

    private CommandLine parse(String text) {
        try {
            return CommandLine.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw misuse("--server: " + malformed.getMessage());
        }
    }

    private Predicate<String> filter() {
        try {
            var patterns = only.stream().map(Pattern::compile).toList();
            return name ->
                    patterns.isEmpty()
                            || patterns.stream().anyMatch(pattern -> pattern.matcher(name).find());
        } catch (PatternSyntaxException malformed) {
            throw misuse("--only: " + malformed.getMessage());
        }
    }

    private ParameterException misuse(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    @SuppressWarnings("SystemConsoleNull") // It is null if there is no terminal.
    private static boolean isTerminal() {
        var console = System.console();
        return console != null && console.isTerminal() && System.getenv("NO_COLOR") == null;
    }
}
