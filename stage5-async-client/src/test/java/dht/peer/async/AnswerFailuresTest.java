package dht.peer.async;

import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.OwnFailure;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.Unreachable;
import dht.testkit.junit.CapturedErr;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the client's failures say about the other node. */
@ResourceLock(Resources.SYSTEM_ERR)
class AnswerFailuresTest {
    private static final NodeAddress NODE = new NodeAddress("n", 1);
    private static final HttpTimeoutException SILENT = new HttpTimeoutException("no answer");

    @RegisterExtension private final CapturedErr log = new CapturedErr();

    private static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(SILENT, new TimedOut()),
                Arguments.of(new CompletionException(SILENT), new TimedOut()),
                Arguments.of(new ExecutionException(SILENT), new TimedOut()),
                Arguments.of(new UncheckedIOException(SILENT), new TimedOut()),
                Arguments.of(
                        new CompletionException(new ExecutionException(SILENT)), new TimedOut()),
                // The client may have sent the request again, and that has failed.
                Arguments.of(new IOException("closed", SILENT), new Unreachable("closed")),
                Arguments.of(
                        new HttpConnectTimeoutException("no route"), new Unreachable("no route")),
                Arguments.of(new CompletionException("bug", null), new Unreachable("bug")),
                Arguments.of(
                        new ConnectException().initCause(new IOException("refused")),
                        new Unreachable("refused")),
                Arguments.of(new ConnectException(), new Unreachable("ConnectException")),
                Arguments.of(new OutOfMemoryError(), new NoMemory()),
                Arguments.of(
                        new IOException(new IllegalStateException(new OutOfMemoryError())),
                        new NoMemory()));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void failure_ofTheClient_saysWhatTheNodeDid(Throwable failure, PeerAnswer answer) {
        assertThat(AnswerFailures.answer(failure)).isEqualTo(answer);
    }

    @Test
    void bug_ofThisNode_isLogged() {
        Throwable bug = new IllegalStateException("made by the test");
        assertThat(AnswerFailures.ownFailure(bug, NODE)).isEqualTo(new OwnFailure());
        assertThat(log.toString()).contains("node=http://n:1", "IllegalStateException");
    }

    /** There would be a line for each request. */
    @Test
    void lackOfMemory_onThisNode_isNotLogged() {
        assertThat(AnswerFailures.ownFailure(new OutOfMemoryError(), NODE))
                .isEqualTo(new NoMemory());
        assertThat(log.toString()).isEmpty();
    }

    @Test
    void failure_thatCannotBeDescribed_isForLackOfMemory() {
        Throwable failure =
                new IOException("closed") {
                    @Override
                    public synchronized Throwable getCause() {
                        throw new OutOfMemoryError("as the test wants it");
                    }
                };
        assertThat(AnswerFailures.answer(failure)).isEqualTo(new NoMemory());
    }
}
