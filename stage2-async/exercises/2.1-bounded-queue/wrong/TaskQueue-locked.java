/** Takes a lock, so that the counter and the queue change together: now all threads wait for each other. */
class TaskQueue {
    synchronized Waiting put(Task task, long nowNanos) {
        Waiting arrival = new Waiting(task, nowNanos, true);
        boolean isFull = length.incrementAndGet() > lengthMax;
        if (isFull && order == Order.FIFO) {
            length.decrementAndGet();
            return arrival;
        }
        add(arrival);
        return isFull ? takeOldest() : null;
    }

    private synchronized Waiting takeRequest(long nowNanos) {
        if (order == Order.FIFO || length.get() <= lengthMax / MANY_SHARE) {
            return takeOldest();
        }
        Waiting oldest = requests.peekFirst();
        boolean isSweeping = oldest != null && isOverdue(oldest, nowNanos);
        return isSweeping ? takeOldest() : counted(requests.pollLast());
    }
}
