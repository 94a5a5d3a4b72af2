package dht.http;

/**
 * Which threads worked for one request, and when. Each entry is a stretch of time in which one
 * thread worked for the request without a break. A request goes from thread to thread, so it has
 * several stretches. Between them it waits in a queue, or for another node.
 *
 * <p>Times are in nanoseconds since the request was read. At most {@link #STRETCHES_MAX} stretches
 * are kept, and further ones are dropped. After the constructor, nothing needs memory except {@link
 * #toString}.
 *
 * <p>Not thread-safe.
 */
final class WorkTimes {
    /** A request to three nodes has about six. */
    static final int STRETCHES_MAX = 16;

    private static final int ENDED = -1;

    private final long[] threads = new long[STRETCHES_MAX];
    private final long[] begun = new long[STRETCHES_MAX];
    private final long[] ended = new long[STRETCHES_MAX];

    /**
     * How often {@link #enter} was called without {@link #leave}; {@link #ENDED} after the last.
     */
    private final int[] depths = new int[STRETCHES_MAX];

    private int count;

    /**
     * The current thread begins to work for the request. Calls may be nested. Each of them should
     * be followed by {@link #leave}.
     */
    void enter(long nanos) {
        int index = pass(nanos);
        if (index >= 0) {
            depths[index]++;
        }
    }

    /** The current thread has done its work for the request, at least for now. */
    void leave(long nanos) {
        int index = indexOfOpen(Thread.currentThread().threadId());
        if (index >= 0) {
            ended[index] = nanos;
            depths[index] = depths[index] > 1 ? depths[index] - 1 : ENDED;
        }
    }

    /**
     * The current thread is working for the request.
     *
     * @return the index of its stretch, or -1 if there is no room for it
     */
    int pass(long nanos) {
        long thread = Thread.currentThread().threadId();
        int index = indexOfOpen(thread);
        if (index < 0 && count < STRETCHES_MAX) {
            index = count++;
            threads[index] = thread;
            begun[index] = nanos;
        }
        if (index >= 0) {
            ended[index] = nanos;
        }
        return index;
    }

    private int indexOfOpen(long thread) {
        for (int i = count - 1; i >= 0; i--) {
            if (threads[i] == thread && depths[i] != ENDED) {
                return i;
            }
        }
        return -1;
    }

    /** For each stretch the id of its thread, when it began and when it ended: {@code 31 0 900}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            if (ended[i] > begun[i]) {
                text.append(text.isEmpty() ? "" : ";");
                text.append(threads[i]).append(' ').append(begun[i]).append(' ').append(ended[i]);
            }
        }
        return text.toString();
    }
}
