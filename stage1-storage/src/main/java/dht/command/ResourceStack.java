package dht.command;

import java.io.IOException;
import java.util.Deque;
import java.util.LinkedList;

/**
 * The resources of a server in the order in which they were opened. They are closed in reverse
 * order, each exactly once, even if others throw.
 *
 * <p>Not thread-safe.
 */
public final class ResourceStack implements AutoCloseable {
    /** Opens a resource. */
    @FunctionalInterface
    public interface Opener<T> {
        T open() throws IOException;
    }

    /** Closes a resource. */
    @FunctionalInterface
    public interface Closer<T> {
        void close(T resource) throws Exception;
    }

    private static final class Entry<T> {
        private final Closer<? super T> closer;
        private T resource; // Null until it is open.

        Entry(Closer<? super T> closer) {
            this.closer = closer;
        }

        void close() throws Exception {
            if (resource != null) {
                closer.close(resource);
            }
        }
    }

    // Not an ArrayDeque: if there is no memory to enlarge it, it looks empty afterwards.
    @SuppressWarnings("JdkObsolete")
    private final Deque<Entry<?>> entries = new LinkedList<>();

    /** Opens a resource and puts it on the stack. */
    public <T extends AutoCloseable> T open(Opener<T> opener) throws IOException {
        return open(opener, AutoCloseable::close);
    }

    /**
     * Opens a resource and puts it on the stack.
     *
     * @param closer closes the resource
     */
    public <T> T open(Opener<T> opener, Closer<? super T> closer) throws IOException {
        Entry<T> entry = new Entry<>(closer);
        entries.push(entry); // Before it is open: a failed allocation after that could lose it.
        entry.resource = opener.open();
        return entry.resource;
    }

    /**
     * Closes all resources, the last one first. If several fail, the first failure is thrown, and
     * the others are suppressed in it.
     *
     * @throws IllegalStateException if the first failure is a checked exception, which is its cause
     */
    @Override
    public void close() {
        switch (closeAll(null)) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException("cannot close: " + e, e);
        }
    }

    /** Closes all resources after a failure. Further failures are suppressed in that failure. */
    void closeAfter(Throwable failure) {
        closeAll(failure);
    }

    private Throwable closeAll(Throwable earlier) {
        Throwable failure = earlier;
        while (!entries.isEmpty()) {
            try {
                entries.pop().close();
            } catch (Throwable e) {
                failure = join(failure, e);
            }
        }
        return failure;
    }

    private static Throwable join(Throwable first, Throwable next) {
        if (first == null) {
            return next;
        }
        try {
            if (next != first) {
                first.addSuppressed(next);
            }
        } catch (OutOfMemoryError _) {
            // There is no memory for it: the first failure is reported without the next one.
        }
        return first;
    }
}
