package dht.testkit.junit;

import dht.testkit.ServerUnderTest;
import dht.testkit.node.NodeFactory;
import java.util.Random;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Promises of a server, as tests. A test class names the contracts that its server keeps, and says
 * how to make one:
 *
 * <pre>{@code
 * class Stage1Test implements StatusContract, EntityContract {
 *     @Override
 *     public NodeFactory servers() {
 *         return InProcess.of(node -> Server.start(node.port(), node.dataDir())::stop);
 *     }
 * }
 * }</pre>
 *
 * <p>All tests of a class share one server, so each keeps to keys of its own. One that stops or
 * kills takes a fresh server. Only the thread of a test may call these methods; what they return
 * can be shared.
 */
@ExtendWith(ContractExtension.class)
@TestMethodOrder(ContractOrder.class)
public interface Contract {
    /** How to make a server. */
    NodeFactory servers();

    /** How many nodes the servers of this class have; a test that asks one asks the first. */
    default int nodeCount() {
        return 1;
    }

    /** The server that all tests of the class share; it runs, and may hold anybody's keys. */
    default ServerUnderTest server() {
        return TestScope.current().shared();
    }

    /** A server of the test's own: just started, empty, and gone after the test. */
    default ServerUnderTest freshServer() {
        return TestScope.current().fresh();
    }

    /**
     * As {@link #freshServer()}, with limits so small that a few clients overload it, if it can.
     */
    default ServerUnderTest freshLimitedServer() {
        return TestScope.current().fresh(servers().limited().orElse(servers()));
    }

    /** The seed of {@link #random()}. */
    default long seed() {
        return TestScope.current().seed();
    }

    /** A number that a configuration parameter of JUnit sets, or a system property. */
    default int parameter(String name, int otherwise) {
        return TestScope.current().parameter(name, otherwise);
    }

    /** Randomness whose seed is told when the test fails; {@code -Dtestkit.seed=…} repeats it. */
    default Random random() {
        return TestScope.current().random();
    }
}
