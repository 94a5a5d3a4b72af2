package dht.testkit.runner;

import dht.testkit.node.NodeFactory;
import java.util.Objects;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.launcher.LauncherSession;

/**
 * The JUnit extension that passes the factory of a {@link SuiteRun} to the constructor of the
 * suite. The session of the launcher stores the factory. Stateless.
 */
final class SuppliedFactory implements ParameterResolver {
    private static final String NAME = SuppliedFactory.class.getName();

    static void supply(LauncherSession session, NodeFactory factory) {
        session.getStore()
                .put(
                        org.junit.platform.engine.support.store.Namespace.create(NAME),
                        NodeFactory.class,
                        factory);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == NodeFactory.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var store = context.getStore(StoreScope.LAUNCHER_SESSION, Namespace.create(NAME));
        return Objects.requireNonNull(
                store.get(NodeFactory.class),
                "the session of the launcher has no NodeFactory: start the suite with SuiteRun");
    }
}
