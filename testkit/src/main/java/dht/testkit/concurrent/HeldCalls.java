package dht.testkit.concurrent;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

/**
 * Holds back the calls of one method, until the test allows them. At first it holds back none.
 *
 * <p>Thread-safe.
 */
public final class HeldCalls {
    private final String method;
    private volatile CountDownLatch allowed = new CountDownLatch(0);

    /**
     * @param method the name of the method, with whatever parameters
     */
    public HeldCalls(String method) {
        this.method = method;
    }

    /** Holds back all calls from now on. */
    public synchronized void hold() {
        if (allowed.getCount() == 0) {
            allowed = new CountDownLatch(1);
        }
    }

    /** Allows the calls that are held back, and all later ones. */
    public synchronized void release() {
        allowed.countDown();
    }

    /**
     * Returns an object that passes all calls on to {@code target}, and holds back those of the
     * method.
     *
     * @param type an interface
     * @param parts interfaces. If a call returns an object of one of them, then the calls of that
     *     object are held back as well
     */
    public <T> T of(Class<T> type, T target, Class<?>... parts) {
        return type.cast(held(type, target, parts));
    }

    private Object held(Class<?> type, Object target, Class<?>... parts) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (_, called, arguments) -> {
                    if (called.getName().equals(method)) {
                        allowed.await();
                    }
                    Object result = call(called, target, arguments);
                    for (Class<?> part : parts) {
                        if (part.isInstance(result)) {
                            return held(part, result, parts);
                        }
                    }
                    return result;
                });
    }

    private static Object call(Method method, Object target, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
