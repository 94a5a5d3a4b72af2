package dht.testkit;

import java.nio.file.Path;

/** The command lines of the example servers of this module. */
public final class Examples {
    private static final String ARGUMENTS = " --port {port} --data {data}";

    private Examples() {}

    /** The correct server, written with Python's standard library. */
    public static String python() {
        return "python3 " + script() + ARGUMENTS;
    }

    /** The same server, run by a script of the test resources that gives it a fault. */
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
