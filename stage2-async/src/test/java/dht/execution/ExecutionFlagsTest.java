package dht.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

class ExecutionFlagsTest {
    private static ExecutionFlags flags(String... arguments) {
        ExecutionFlags flags = new ExecutionFlags();
        new CommandLine(
                        CommandLine.Model.CommandSpec.create()
                                .addMixin(
                                        "execution",
                                        CommandLine.Model.CommandSpec.forAnnotatedObject(flags)))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs(arguments);
        return flags;
    }

    private static ExecutionOptions parse(String... arguments) {
        return flags(arguments).executionOptions();
    }

    @Test
    void options_byDefault_arePinned() {
        ExecutionOptions options = parse();

        assertThat(options.kind()).isEqualTo(ExecutorKind.FIFO);
        assertThat(options.workerCount()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(options.queueLengthMax()).isEqualTo(1024);
        assertThat(options.queueDeadline()).hasMillis(500);
        assertThat(options.drainTimeout()).hasSeconds(2);
    }

    @Test
    void options_given_areTaken() {
        ExecutionOptions options =
                parse("--executor=lifo", "--workers=3", "--queue-length=7", "--queue-deadline=2s");

        assertThat(options.kind()).isEqualTo(ExecutorKind.LIFO);
        assertThat(options.workerCount()).isEqualTo(3);
        assertThat(options.queueLengthMax()).isEqualTo(7);
        assertThat(options.queueDeadline()).hasSeconds(2);
    }

    @ParameterizedTest
    @EnumSource
    void executor_byItsName_isTaken(ExecutorKind kind) {
        assertThat(parse("--executor=" + kind.name().toLowerCase(Locale.ROOT)).kind())
                .isEqualTo(kind);
    }

    @Test
    void selectors_whereWorkersDoTheWork_areHalfAsMany() {
        int processorCount = Runtime.getRuntime().availableProcessors();

        assertThat(flags("--executor=inline").selectorCount()).isEqualTo(processorCount);
        assertThat(flags().selectorCount()).isEqualTo(Math.max(1, processorCount / 2));
    }

    @ParameterizedTest
    @EnumSource
    void refuseInline_ofEachKind_refusesThatAlone(ExecutorKind kind) {
        ExecutionFlags flags = flags("--executor=" + kind.name());
        if (kind == ExecutorKind.INLINE) {
            assertThatThrownBy(flags::refuseInline)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("use --executor=fifo, lifo or virtual");
        } else {
            flags.refuseInline();
        }
    }

    @Test
    void openExecutor_byDefault_runsTasks() throws InterruptedException {
        Probe probe = new Probe();
        try (CountedExecutor executor = flags("--queue-length=1", "--workers=1").openExecutor()) {
            executor.execute(probe.task("a"));
            assertThat(probe.events(1)).containsExactly("run a");
        }
    }

    @Test
    void options_outOfBounds_areRefusedByName() {
        assertThatThrownBy(() -> parse("--queue-length=0")).hasMessageContaining("queue-length=0");
        assertThatThrownBy(() -> parse("--workers=-1")).hasMessageContaining("workers=-1");
        assertThatThrownBy(() -> parse("--queue-deadline=0s"))
                .hasMessageContaining("queue-deadline");
    }
}
