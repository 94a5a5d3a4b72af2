package dht.http;

/**
 * Makes one-nio use Java's sockets and Java's selector, on every system.
 *
 * <p>Otherwise one-nio uses a native library of its own wherever the system's C library is new
 * enough (glibc 2.38), and says nothing about it. Then the same server behaves differently: one-nio
 * cannot close only the output of a native socket, so a client whose request was refused waits for
 * seconds for the end of the answer. And two systems cannot be compared.
 *
 * <p>Thread-safe.
 */
public final class JavaSockets {
    /** The property of one-nio. A value on the command line is kept, for experiments. */
    static final String PROPERTY = "one.nio.net.force.java.socket";

    private JavaSockets() {}

    /** Call it before the first socket is opened: one-nio reads the property only once. */
    public static void choose() {
        System.getProperties().putIfAbsent(PROPERTY, "true");
    }
}
