package dht.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Resources are closed once and in reverse order, whatever is thrown. */
class ResourceStackTest {
    private final List<String> events = new ArrayList<>();
    private final ResourceStack resources = new ResourceStack();

    /** Notes when it is opened and closed; throws {@code onClose}, if there is one. */
    private AutoCloseable open(String name, Throwable onClose) throws IOException {
        return resources.open(
                () -> {
                    events.add("open " + name);
                    return () -> {
                        events.add("close " + name);
                        if (onClose instanceof Error e) {
                            throw e;
                        }
                        if (onClose instanceof Exception e) {
                            throw e;
                        }
                    };
                });
    }

    @Test
    void close_severalResources_closesThemInReverseOrder() throws IOException {
        open("a", null);
        open("b", null);
        open("c", null);

        resources.close();

        assertThat(events)
                .containsExactly("open a", "open b", "open c", "close c", "close b", "close a");
    }

    @Test
    void close_twice_closesEachResourceOnce() throws IOException {
        open("a", null);
        resources.close();

        resources.close();

        assertThat(events).containsExactly("open a", "close a");
    }

    @Test
    void close_severalFail_triesAllAndKeepsWhatEachThrew() throws IOException {
        open("a", new IllegalStateException("of a"));
        open("b", new OutOfMemoryError("of b"));
        open("c", new IOException("of c"));

        assertThatThrownBy(resources::close)
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("of c")
                .satisfies(
                        thrown ->
                                assertThat(thrown.getCause().getSuppressed())
                                        .extracting(Throwable::getMessage)
                                        .containsExactly("of b", "of a"));
        assertThat(events).endsWith("close c", "close b", "close a");
    }

    /** The virtual machine throws the same error again when it has no memory for another one. */
    @Test
    void close_sameErrorTwice_closesTheRest() throws IOException {
        OutOfMemoryError same = new OutOfMemoryError("no memory");
        open("a", null);
        open("b", same);
        open("c", same);

        assertThatThrownBy(resources::close).isSameAs(same);
        assertThat(events).endsWith("close c", "close b", "close a");
    }

    @Test
    void open_failing_leavesNothingToCloseForIt() throws IOException {
        open("a", null);

        assertThatThrownBy(
                        () ->
                                resources.open(
                                        () -> {
                                            throw new IOException("not opened");
                                        }))
                .hasMessage("not opened");
        assertThatCode(resources::close).doesNotThrowAnyException();
        assertThat(events).containsExactly("open a", "close a");
    }

    @Test
    void start_failingWithAnError_closesWhatWasOpenedAndThrowsIt() {
        Error failure = new OutOfMemoryError("while starting");

        assertThatThrownBy(
                        () ->
                                RunningServer.start(
                                        stack -> {
                                            stack.open(() -> () -> events.add("close a"));
                                            stack.open(
                                                    () ->
                                                            () -> {
                                                                throw new IOException("of b");
                                                            });
                                            throw failure;
                                        }))
                .isSameAs(failure)
                .satisfies(
                        thrown ->
                                assertThat(thrown.getSuppressed())
                                        .extracting(Throwable::getMessage)
                                        .containsExactly("of b"));
        assertThat(events).containsExactly("close a");
    }
}
