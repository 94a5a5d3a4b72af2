package dht.testkit.node;

/**
 * Makes nodes of one kind: {@link InProcess} in the test's own JVM, {@link JarProcess} from a jar,
 * {@link CommandProcess} from any command line. Threads may share it.
 */
@FunctionalInterface
public interface NodeFactory {
    /** A node that isn't started yet. */
    Node create(NodeSpec spec);
}
