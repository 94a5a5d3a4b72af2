package dht.testkit.junit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that captures {@link System#err} during a test, as UTF-8 text: the log and the
 * error messages of commands. It is an instance field with {@code @RegisterExtension}. The test
 * class must lock {@link org.junit.jupiter.api.parallel.Resources#SYSTEM_ERR}. Thread-safe.
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

    /** Discards what was written so far. */
    public void reset() {
        written.reset();
    }

    /** Everything that was written since the test began, or since {@link #reset}. */
    @Override
    public String toString() {
        return written.toString(UTF_8);
    }
}
