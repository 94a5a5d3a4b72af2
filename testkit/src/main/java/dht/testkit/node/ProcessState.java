package dht.testkit.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Reads the state of a process from Linux's {@code /proc}. Whether it is stopped is read for each
 * thread, because a signal reaches the threads one after the other. Threads may share this class.
 */
final class ProcessState {
    private static final String PEAK = "VmHWM:";

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

    /** The greatest resident size so far; empty if the process has ended or this is not Linux. */
    static OptionalLong residentBytesPeak(long pid) {
        try (Stream<String> lines = Files.lines(directory(pid).resolve("status"))) {
            return lines.filter(line -> line.startsWith(PEAK))
                    .mapToLong(line -> kibibytes(line.substring(PEAK.length())) << 10)
                    .findFirst();
        } catch (IOException _) {
            return OptionalLong.empty();
        }
    }

    /** From a value such as {@code 1234 kB}. */
    private static long kibibytes(String value) {
        return Long.parseLong(value.replace("kB", "").strip());
    }

    /** How many sockets are open; empty if the process has ended or this is not Linux. */
    static OptionalLong socketCount(long pid) {
        try (Stream<Path> all = Files.list(directory(pid).resolve("fd"))) {
            return OptionalLong.of(all.filter(ProcessState::isSocket).count());
        } catch (IOException _) {
            return OptionalLong.empty();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException _) {
            return false; // It has just been closed.
        }
    }

    private static Path directory(long pid) {
        return Path.of("/proc", String.valueOf(pid));
    }

    private static boolean areAll(long pid, String letters, boolean unknown) {
        var threads = directory(pid).resolve("task");
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
