package dht.testkit.node;

/** What tests of other packages ask about processes. */
public final class Processes {
    private Processes() {}

    /** Whether it still does something; a dead one that nobody has collected yet does not. */
    public static boolean isAlive(ProcessHandle process) {
        return ProcessTree.isAlive(process);
    }
}
