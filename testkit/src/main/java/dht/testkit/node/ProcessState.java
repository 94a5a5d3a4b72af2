package dht.testkit.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a process is doing, as Linux tells it in {@code /proc}, thread by thread: a signal to a
 * process reaches its threads one after the other. Threads may share this class.
 */
final class ProcessState {
    private ProcessState() {}

    /** Dead and gone, but not yet collected by its parent. Not known elsewhere than on Linux. */
    static boolean isZombie(long pid) {
        return areAll(pid, "ZX", false);
    }

    /** Whether a SIGSTOP has reached it. Taken for granted elsewhere than on Linux. */
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

    /** The state follows the name, which is in parentheses and may itself contain some. */
    private static char letter(Path thread) {
        try {
            var stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException _) {
            return 'X'; // It has just ended.
        }
    }
}
