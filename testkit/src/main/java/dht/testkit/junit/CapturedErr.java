package dht.testkit.junit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What a test and the code it runs write to {@link System#err}, in UTF-8: the log, and what
 * commands complain of. A field of a test class with {@code @RegisterExtension}, one for each test;
 * the class locks {@link org.junit.jupiter.api.parallel.Resources#SYSTEM_ERR}. Thread-safe.
 */
public final class CapturedErr implements BeforeEachCallback, AfterEachCallback {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private PrintStream former;

    @Override
    public void beforeEach(ExtensionContext context) {
        former = System.err;
        System.setErr(new PrintStream(written, true, UTF_8));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        System.setErr(former);
    }

    /** Forgets what was written until now. */
    public void reset() {
        written.reset();
    }

    /** All that was written since the test began, or since {@link #reset}. */
    @Override
    public String toString() {
        return written.toString(UTF_8);
    }
}
