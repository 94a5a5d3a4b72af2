package dht.testkit.node;

/** Questions about processes, for tests of other packages. */
public final class Processes {
    private Processes() {}

    /**
     * Whether the process is running. A zombie, whose parent has not read its exit code, is not.
     */
    public static boolean isAlive(ProcessHandle process) {
        return ProcessTree.isAlive(process);
    }
}
