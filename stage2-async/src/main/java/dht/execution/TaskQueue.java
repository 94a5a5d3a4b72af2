package dht.execution;

import dht.http.RequestExecutor.Task;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tasks that wait for a worker. Requests are bounded; work that was taken before, and goes on, is
 * not, since it is bounded where it comes from.
 *
 * <p>Thread-safe, without locks: selectors and workers never wait for each other here.
 */
final class TaskQueue {
    /** Which of the requests that wait is next. */
    enum Order {
        /** The oldest. */
        FIFO,
        /**
         * The newest while many wait, since its client is the likeliest to be waiting still; else
         * the oldest. After adaptive LIFO in Ben Maurer, "Fail at Scale", ACM Queue 13(8), 2015.
         */
        LIFO
    }

    /** With {@link Order#LIFO}, so much of the queue in use means that many wait. */
    private static final int MANY_SHARE = 4;

    /**
     * A task, and since when it waits.
     *
     * @param sinceNanos of the pool's clock
     * @param isRequest whether it may be refused
     */
    record Waiting(Task task, long sinceNanos, boolean isRequest) {}

    private final Order order;
    private final int lengthMax;
    private final long deadlineNanos;
    private final Deque<Waiting> requests = new ConcurrentLinkedDeque<>();
    private final Queue<Waiting> resumed = new ConcurrentLinkedQueue<>();

    /** Of requests. Counts one before it is there and until it is gone, so never too few. */
    private final AtomicInteger length = new AtomicInteger();

    /**
     * @param deadlineNanos a request that has waited for longer is overdue
     */
    TaskQueue(Order order, int lengthMax, long deadlineNanos) {
        this.order = order;
        this.lengthMax = lengthMax;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Takes a request in.
     *
     * @return who finds no room: null, or the request itself, or with {@link Order#LIFO} the oldest
     */
    Waiting put(Task task, long nowNanos) {
        Waiting arrival = new Waiting(task, nowNanos, true);
        boolean isFull = length.incrementAndGet() > lengthMax;
        if (isFull && order == Order.FIFO) {
            length.decrementAndGet();
            return arrival;
        }
        requests.addLast(arrival);
        return isFull ? takeOldest() : null;
    }

    /** Takes in what goes on with work that was begun. */
    void putResumed(Task task, long nowNanos) {
        resumed.add(new Waiting(task, nowNanos, false));
    }

    /**
     * The next task.
     *
     * @param resumedFirst whether work that was begun goes before requests; who alternates starves
     *     neither
     * @return null if there is none
     */
    Waiting take(boolean resumedFirst, long nowNanos) {
        Waiting next = resumedFirst ? resumed.poll() : null;
        if (next == null) {
            next = takeRequest(nowNanos);
        }
        return next == null ? resumed.poll() : next;
    }

    private Waiting takeRequest(long nowNanos) {
        if (order == Order.FIFO || length.get() <= lengthMax / MANY_SHARE) {
            return takeOldest();
        }
        Waiting oldest = requests.peekFirst();
        boolean isSweeping = oldest != null && isOverdue(oldest, nowNanos);
        return isSweeping ? takeOldest() : counted(requests.pollLast());
    }

    private Waiting takeOldest() {
        return counted(requests.pollFirst());
    }

    private Waiting counted(Waiting taken) {
        if (taken != null) {
            length.decrementAndGet();
        }
        return taken;
    }

    /** Whether a request has waited for so long that its client is better told to come again. */
    boolean isOverdue(Waiting waiting, long nowNanos) {
        return waiting.isRequest() && nowNanos - waiting.sinceNanos() > deadlineNanos;
    }

    boolean isEmpty() {
        return requests.isEmpty() && resumed.isEmpty();
    }

    /** How many requests wait. */
    int length() {
        return length.get();
    }
}
