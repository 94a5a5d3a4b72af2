package dht.testkit.junit;

import dht.testkit.ServerUnderTest;
import dht.testkit.node.NodeFactory;
import java.util.Random;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A set of promises of a server, as tests. A test class implements the contracts that its server
 * keeps, and provides a factory for the server:
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
 * <p>All tests of a class share one server, so each test uses its own keys. A test that stops or
 * kills a server uses a fresh one. Only the thread of a test may call these methods; threads may
 * share the results.
 */
@ExtendWith(ContractExtension.class)
@TestMethodOrder(ContractOrder.class)
public interface Contract {
    /** The factory of the servers under test. */
    NodeFactory servers();

    /** The number of nodes. Tests of a single server use the first one. */
    default int nodeCount() {
        return 1;
    }

    /** The server that all tests of the class share. It runs, and may hold keys of other tests. */
    default ServerUnderTest server() {
        return TestScope.current().shared();
    }

    /**
     * A server for this test alone. It has just started and is empty. It is removed after the test.
     */
    default ServerUnderTest freshServer() {
        return TestScope.current().fresh();
    }

    /**
     * Like {@link #freshServer()}, but with limits so small that a few clients overload it, if its
     * factory has such a variant.
     */
    default ServerUnderTest freshLimitedServer() {
        return TestScope.current().fresh(servers().limited().orElse(servers()));
    }

    /** The seed of {@link #random()}. */
    default long seed() {
        return TestScope.current().seed();
    }

    /**
     * The value of a configuration parameter of JUnit or of a system property, or {@code otherwise}
     * if it is not set.
     */
    default int parameter(String name, int otherwise) {
        return TestScope.current().parameter(name, otherwise);
    }

    /**
     * A random generator. If the test fails, its seed is in the transcript; {@code
     * -Dtestkit.seed=…} repeats the test with it.
     */
    default Random random() {
        return TestScope.current().random();
    }
}
