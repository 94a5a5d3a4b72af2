package dht.http;

/**
 * Makes one-nio use Java's sockets and Java's selector, on every system.
 *
 * <p>Otherwise one-nio uses a native library of its own if the system's C library is glibc 2.38 or
 * later, and prints no message. Then the same server may behave differently on two systems, and
 * measurements of them cannot be compared. For example, one-nio cannot close only the output of a
 * native socket. So a client whose request was refused waits for seconds for the end of the answer.
 *
 * <p>Thread-safe.
 */
public final class JavaSockets {
    /** The property of one-nio. A value on the command line is kept, for experiments. */
    static final String PROPERTY = "one.nio.net.force.java.socket";

    private JavaSockets() {}

    /** Must be called before the first socket is opened: one-nio reads the property only once. */
    public static void choose() {
        System.getProperties().putIfAbsent(PROPERTY, "true");
    }
}
