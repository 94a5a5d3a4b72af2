package dht.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

/**
 * Ends the process when a thread ends by a failure that no code caught. A server that has lost a
 * thread it needs answers nobody, and cannot be told from one that is slow; a process that has
 * ended is started again, and finds all that was acknowledged.
 *
 * <p>Installed for all threads of a process, so that a thread has to do nothing for it. A thread
 * that may fail and be done without catches its failures itself.
 *
 * <p>Thread-safe. When several threads fail, the first one ends the process; the others wait for
 * that.
 */
final class UncaughtFailure implements Thread.UncaughtExceptionHandler {
    /** Documented in docs/reference/command-line.md: do not change. */
    static final int EXIT_CODE = 3;

    /** Made beforehand, as there may be no memory left when it is needed. */
    private static final byte[] WITHOUT_DETAILS =
            "server: a thread has failed, and there is no memory to say more: ending the process\n"
                    .getBytes(US_ASCII);

    private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);

    private UncaughtFailure() {}

    /** From now on the process ends with {@link #EXIT_CODE} when any thread fails. */
    static void endsProcess() {
        Thread.setDefaultUncaughtExceptionHandler(new UncaughtFailure());
    }

    @Override
    public synchronized void uncaughtException(Thread thread, Throwable failure) {
        try {
            err.write(line(thread, failure));
        } catch (IOException | Error _) {
            // Without its line the process must end all the same.
        } finally {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    private static byte[] line(Thread thread, Throwable failure) {
        try {
            StackTraceElement[] frames = failure.getStackTrace();
            String place = frames.length == 0 ? "" : " at " + frames[0];
            String line =
                    "server: thread=\"%s\" has failed: %s%s: ending the process\n"
                            .formatted(thread.getName(), failure, place);
            return line.getBytes(US_ASCII);
        } catch (Throwable _) {
            return WITHOUT_DETAILS;
        }
    }
}
