package dht.execution;

import dht.http.RequestExecutor.Task;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The tasks that wait for a worker. The number of requests is limited. Tasks that continue work
 * which has begun are not limited here, because their source limits them.
 *
 * <p>Thread-safe, without locks: selectors and workers never wait for each other here.
 */
final class TaskQueue {
    /** Which of the waiting requests is next. */
    enum Order {
        /** The oldest. */
        FIFO,
        /**
         * While many requests are waiting, the newest, because its client is the most likely to be
         * waiting still. But if the oldest one is overdue, it is next, and is rejected. While few
         * are waiting, the oldest. After adaptive LIFO in Ben Maurer, "Fail at Scale", ACM Queue
         * 13(8), 2015.
         */
        LIFO
    }

    /**
     * With {@link Order#LIFO}, many are waiting when more than 1 / MANY_SHARE of the queue is in
     * use.
     */
    private static final int MANY_SHARE = 4;

    /**
     * A task, and the time when it began to wait.
     *
     * @param sinceNanos by the pool's clock
     * @param isRequest whether the task is a request; the limit and the deadline are only for
     *     requests
     */
    record Waiting(Task task, long sinceNanos, boolean isRequest) {}

    private final Order order;
    private final int lengthMax;
    private final long deadlineNanos;
    private final Deque<Waiting> requests;
    private final Queue<Waiting> resumed;

    /**
     * The number of requests. It is increased before a request enters the queue and decreased after
     * the request has left it, so it is never too small.
     */
    private final AtomicInteger length = new AtomicInteger();

    /**
     * @param deadlineNanos a request that has waited longer is overdue
     */
    TaskQueue(Order order, int lengthMax, long deadlineNanos) {
        this(
                order,
                lengthMax,
                deadlineNanos,
                new ConcurrentLinkedDeque<>(),
                new ConcurrentLinkedQueue<>());
    }

    /**
     * The same, for tests that follow each step.
     *
     * @param requests an empty deque for the requests that wait
     * @param resumed an empty queue for the resumed tasks
     */
    TaskQueue(
            Order order,
            int lengthMax,
            long deadlineNanos,
            Deque<Waiting> requests,
            Queue<Waiting> resumed) {
        this.requests = requests;
        this.resumed = resumed;
        this.order = order;
        this.lengthMax = lengthMax;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Adds a request. If the queue is full, the caller must reject the returned request.
     *
     * @return a request that is not in the queue, because the queue is full; or null. With {@link
     *     Order#LIFO} it is the oldest request, with {@link Order#FIFO} the new one
     */
    Waiting put(Task task, long nowNanos) {
        Waiting arrival = new Waiting(task, nowNanos, true);
        boolean isFull = length.incrementAndGet() > lengthMax;
        if (isFull && order == Order.FIFO) {
            length.decrementAndGet();
            return arrival;
        }
        add(arrival);
        return isFull ? takeOldest() : null;
    }

    /**
     * Adds a request that is counted already. If there is no memory to add it, the request is
     * counted out again.
     */
    private void add(Waiting arrival) {
        boolean isAdded = false;
        try {
            requests.addLast(arrival);
            isAdded = true;
        } finally {
            if (!isAdded) {
                length.decrementAndGet();
            }
        }
    }

    /** Adds a task that continues work which has begun. */
    void putResumed(Task task, long nowNanos) {
        resumed.add(new Waiting(task, nowNanos, false));
    }

    /**
     * Removes the next task.
     *
     * @param resumedFirst whether tasks that continue work come before requests; a caller that
     *     alternates starves neither
     * @return null if there is no task
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

    /**
     * Whether a request has waited so long that it is better to tell its client to ask again later.
     */
    boolean isOverdue(Waiting waiting, long nowNanos) {
        return waiting.isRequest() && nowNanos - waiting.sinceNanos() > deadlineNanos;
    }

    boolean isEmpty() {
        return requests.isEmpty() && resumed.isEmpty();
    }

    /** The number of waiting requests. */
    int length() {
        return length.get();
    }
}
