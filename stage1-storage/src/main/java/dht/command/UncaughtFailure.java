package dht.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

/**
 * Ends the process when a thread fails and no code catches the failure. A server without a thread
 * that it needs does not answer, and looks like a slow server. A process that has ended can be
 * started again. Then it still has all acknowledged writes, unless its durability is {@code none}.
 *
 * <p>It is installed for all threads of a process. A thread that the server does not need must
 * catch its failures itself.
 *
 * <p>Thread-safe. If several threads fail, the first one ends the process, and the others wait.
 */
final class UncaughtFailure implements Thread.UncaughtExceptionHandler {
    /** Documented in docs/reference/command-line.md: do not change. */
    static final int EXIT_CODE = 3;

    /** Created in advance: later there may be no memory for it. */
    private static final byte[] WITHOUT_DETAILS =
            "server: a thread has failed, and there is no memory to say more: ending the process\n"
                    .getBytes(US_ASCII);

    private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);

    private UncaughtFailure() {}

    /**
     * Installs this handler: from now on, the process ends with {@link #EXIT_CODE} when a thread
     * fails.
     */
    static void endsProcess() {
        loadWhatHalts();
        Thread.setDefaultUncaughtExceptionHandler(new UncaughtFailure());
    }

    /**
     * Makes the JVM load its classes for the end of a process: later there may be no memory for
     * them, and then {@link Runtime#halt} throws an error and ends nothing.
     */
    private static void loadWhatHalts() {
        boolean unused = Runtime.getRuntime().removeShutdownHook(new Thread());
    }

    @Override
    public synchronized void uncaughtException(Thread thread, Throwable failure) {
        try {
            err.write(line(thread, failure));
        } catch (IOException | Error _) {
            // The process must end even without its line.
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
