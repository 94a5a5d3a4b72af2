package dht.testkit;

import java.nio.file.Path;

/** Command lines of the servers that come with this module. */
public final class Examples {
    private static final String ARGUMENTS = " --port {port} --data {data}";

    private Examples() {}

    /** The server in Python's standard library: the right one. */
    public static String python() {
        return "python3 " + script() + ARGUMENTS;
    }

    /** The same, run by a script of the test resources that makes it wrong. */
    public static String wrongPython(String wrapper) {
        return "python3 "
                + Path.of("src/test/resources/wrong", wrapper)
                + " "
                + script()
                + ARGUMENTS;
    }

    private static Path script() {
        return Path.of("examples/python-server/server.py");
    }
}
