package dht.testkit.node;

import java.util.Optional;

/**
 * Makes nodes of one kind: {@link InProcess} in the test's own JVM, {@link JarProcess} from a jar,
 * {@link CommandProcess} from any command line. Threads may share it.
 */
@FunctionalInterface
public interface NodeFactory {
    /** A node that isn't started yet. */
    Node create(NodeSpec spec);

    /**
     * The same kind with limits so small that a few clients overload it; empty where it can't be
     * told its limits.
     */
    default Optional<NodeFactory> limited() {
        return Optional.empty();
    }

    /** The same kind with its clock an hour behind; empty where it can't be told the time. */
    default Optional<NodeFactory> clockBehind() {
        return Optional.empty();
    }

    /** This factory, and the other one for tests that want the limits small. */
    default NodeFactory withLimited(NodeFactory limited) {
        return new Variants(this, Optional.of(limited), clockBehind());
    }

    /** This factory, and the other one for tests that want a clock an hour behind. */
    default NodeFactory withClockBehind(NodeFactory behind) {
        return new Variants(this, limited(), Optional.of(behind));
    }

    /** One kind of node, and its variants. */
    record Variants(
            NodeFactory ordinary, Optional<NodeFactory> limited, Optional<NodeFactory> clockBehind)
            implements NodeFactory {
        @Override
        public Node create(NodeSpec spec) {
            return ordinary.create(spec);
        }
    }
}
