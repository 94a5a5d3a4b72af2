package dht.testkit.junit;

import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * The JUnit extension that runs each test of a contract in a {@link TestScope} and reports its
 * failure as a transcript. Stateless.
 *
 * <p>Two configuration parameters of JUnit, or system properties: {@code testkit.patience.millis}
 * is the time limit of an answer (10 s), and {@code testkit.seed} the seed of random choices.
 */
public final class ContractExtension
        implements BeforeEachCallback, AfterEachCallback, TestExecutionExceptionHandler {
    public static final String PATIENCE_MILLIS = "testkit.patience.millis";
    public static final String SEED = "testkit.seed";

    private static final long DEFAULT_PATIENCE_MILLIS = 10_000;
    private static final Namespace NAMESPACE = Namespace.create(ContractExtension.class);

    @Override
    public void beforeEach(ExtensionContext context) {
        var contract = (Contract) context.getRequiredTestInstance();
        var home = sharedCluster(context).running(contract.servers(), contract.nodeCount());
        var needs = AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), Needs.class);
        var node = home.nodes().getFirst().node(); // All nodes are of one kind.
        var whyNot = needs.flatMap(ability -> node.whyNot(ability.value()));
        if (whyNot.isPresent()) {
            throw new TestAbortedException(whyNot.get());
        }
        var transcript = new Transcript(nameOf(context), promiseOf(context));
        var scope =
                new TestScope(
                        contract,
                        home,
                        transcript,
                        patience(context),
                        seed(context),
                        name -> context.getConfigurationParameter(name, Integer::valueOf));
        context.getStore(NAMESPACE)
                .put(TestScope.class, scope); // The store closes it after the test.
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        if (failure instanceof TestAbortedException) {
            throw failure;
        }
        throw scopeOf(context).explain(failure);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        var scope = scopeOf(context);
        if (scope == null) {
            return; // The test did not begin.
        }
        if (!scope.isSharedClusterRunning()) {
            var failure = scope.explain(scope.sharedServerDied());
            sharedCluster(context).close(); // The next test gets a new one.
            if (context.getExecutionException().isEmpty()) {
                throw failure;
            }
        }
    }

    /** The cluster of the test class. JUnit's store closes it after the last test. */
    private static SharedCluster sharedCluster(ExtensionContext context) {
        return classContext(context).getStore(NAMESPACE).getOrComputeIfAbsent(SharedCluster.class);
    }

    private static TestScope scopeOf(ExtensionContext context) {
        return context.getStore(NAMESPACE).get(TestScope.class, TestScope.class);
    }

    private static ExtensionContext classContext(ExtensionContext context) {
        var found = context;
        while (found.getTestMethod().isPresent()) {
            found = found.getParent().orElseThrow();
        }
        return found;
    }

    private static String nameOf(ExtensionContext context) {
        var method = context.getRequiredTestMethod();
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    private static Promise promiseOf(ExtensionContext context) {
        var keeps =
                AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), Verifies.class);
        if (keeps.isEmpty()) {
            throw new ExtensionConfigurationException(nameOf(context) + " has no @Verifies");
        }
        return keeps.get().value();
    }

    private static Duration patience(ExtensionContext context) {
        return Duration.ofMillis(
                context.getConfigurationParameter(PATIENCE_MILLIS, Long::valueOf)
                        .orElse(DEFAULT_PATIENCE_MILLIS));
    }

    private static long seed(ExtensionContext context) {
        return context.getConfigurationParameter(SEED, Long::valueOf)
                .orElseGet(() -> ThreadLocalRandom.current().nextLong(1_000_000_000));
    }
}
