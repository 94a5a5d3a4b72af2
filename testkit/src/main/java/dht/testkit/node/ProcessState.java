package dht.testkit.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Reads the state of a process from Linux's {@code /proc}. It reads the state of each thread,
 * because a signal reaches the threads one after the other. Threads may share this class.
 */
final class ProcessState {
    private ProcessState() {}

    /**
     * Whether the process has ended, but its parent has not collected it yet. Always false on other
     * systems than Linux.
     */
    static boolean isZombie(long pid) {
        return areAll(pid, "ZX", false);
    }

    /** Whether a SIGSTOP has reached all its threads. Always true on other systems than Linux. */
    static boolean isStopped(long pid) {
        return areAll(pid, "TtZX", true);
    }

    private static boolean areAll(long pid, String letters, boolean unknown) {
        var threads = Path.of("/proc", String.valueOf(pid), "task");
        try (Stream<Path> all = Files.list(threads)) {
            return all.allMatch(thread -> letters.indexOf(letter(thread)) >= 0);
        } catch (IOException _) {
            return unknown;
        }
    }

    /**
     * The state of a thread: the letter after the name. The name is in parentheses and may contain
     * parentheses.
     */
    private static char letter(Path thread) {
        try {
            var stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException _) {
            return 'X'; // It has just ended.
        }
    }
}
