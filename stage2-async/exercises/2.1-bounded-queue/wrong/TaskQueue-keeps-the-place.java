/** Counts a request that found no room, and never counts it out: after an overload there is no room for ever. */
class TaskQueue {
    Waiting put(Task task, long nowNanos) {
        Waiting arrival = new Waiting(task, nowNanos, true);
        boolean isFull = length.incrementAndGet() > lengthMax;
        if (isFull && order == Order.FIFO) {
            return arrival;
        }
        requests.addLast(arrival);
        return isFull ? takeOldest() : null;
    }
}
