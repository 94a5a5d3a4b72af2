package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.junit.CapturedErr;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log is one for the process, so each test has a logger of its own. */
@ResourceLock(Resources.SYSTEM_ERR)
class ErrorLogTest {
    @RegisterExtension private final CapturedErr log = new CapturedErr();

    @Test
    void failureOfEachRequest_isLoggedOnce_withItsTrace() {
        Logger logger = LoggerFactory.getLogger("of-each-request");
        for (int request = 0; request < 100; request++) {
            ErrorLog.log(logger, "a task failed", bug("request@" + request));
        }
        assertThat(log.toString())
                .containsOnlyOnce("a task failed")
                .containsOnlyOnce("request@0")
                .contains("at dht.http.ErrorLogTest");
    }

    @Test
    void failuresOfTwoNodes_areBothLogged() {
        Logger logger = LoggerFactory.getLogger("of-two-nodes");
        ErrorLog.log(logger, "cannot ask node {}", "node-1", bug("one"));
        ErrorLog.log(logger, "cannot ask node {}", "node-2", bug("two"));
        ErrorLog.log(logger, "cannot ask node {}", "node-2", bug("three"));
        assertThat(log.toString())
                .contains("cannot ask node node-1")
                .containsOnlyOnce("cannot ask node node-2");
    }

    @Test
    void failuresOfTwoPlaces_areBothLogged() {
        Logger logger = LoggerFactory.getLogger("of-two-places");
        ErrorLog.log(logger, "a task failed", bug("one"));
        ErrorLog.log(logger, "a task failed", new IllegalStateException("two"));
        assertThat(log.toString()).contains(": one").contains(": two");
    }

    @Test
    void failureForWhichThereIsNoMemory_isLoggedTheNextTime() {
        Logger logger = LoggerFactory.getLogger("without-memory");
        for (boolean hasMemory : new boolean[] {false, true}) {
            ErrorLog.log(logger, "a task failed", new Unloggable(hasMemory));
        }
        assertThat(log.toString()).contains("logged after all");
    }

    private static IllegalStateException bug(String message) {
        return new IllegalStateException(message);
    }

    private static final class Unloggable extends RuntimeException {
        private final boolean hasMemory;

        Unloggable(boolean hasMemory) {
            this.hasMemory = hasMemory;
        }

        @Override
        public void printStackTrace(PrintStream out) {
            if (!hasMemory) {
                throw new OutOfMemoryError("on purpose");
            }
            out.println("logged after all");
        }
    }
}
