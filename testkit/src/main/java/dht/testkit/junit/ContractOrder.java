package dht.testkit.junit;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.MethodDescriptor;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;

/**
 * Sorts tests by contract, in the order in which their class names the contracts, and by name
 * within a contract. Stateless.
 */
public final class ContractOrder implements MethodOrderer {
    @Override
    public void orderMethods(MethodOrdererContext context) {
        var contracts = new LinkedHashSet<Class<?>>();
        collect(context.getTestClass(), contracts);
        var order = List.copyOf(contracts);
        context.getMethodDescriptors()
                .sort(
                        Comparator.comparingInt(
                                        (MethodDescriptor test) ->
                                                order.indexOf(test.getMethod().getDeclaringClass()))
                                .thenComparing(test -> test.getMethod().getName()));
    }

    private static void collect(Class<?> type, Set<Class<?>> found) {
        found.add(type);
        for (var contract : type.getInterfaces()) {
            collect(contract, found);
        }
    }
}
