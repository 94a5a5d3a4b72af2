package dht.testkit.node;

import java.util.Optional;

/**
 * A factory of nodes of one kind: {@link InProcess} in the test's own JVM, {@link JarProcess} from
 * a jar, {@link CommandProcess} from any command line. Threads may share it.
 */
@FunctionalInterface
public interface NodeFactory {
    /** Creates a node. It is not started. */
    Node create(NodeSpec spec);

    /**
     * The same kind, with limits so small that a few clients overload a node; empty if the servers
     * have no such option.
     */
    default Optional<NodeFactory> limited() {
        return Optional.empty();
    }

    /**
     * The same kind, with clocks that are an hour behind; empty if the servers have no such option.
     */
    default Optional<NodeFactory> clockBehind() {
        return Optional.empty();
    }

    /** This factory, with another factory as its {@link #limited} variant. */
    default NodeFactory withLimited(NodeFactory limited) {
        return new Variants(this, Optional.of(limited), clockBehind());
    }

    /** This factory, with another factory as its {@link #clockBehind} variant. */
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
