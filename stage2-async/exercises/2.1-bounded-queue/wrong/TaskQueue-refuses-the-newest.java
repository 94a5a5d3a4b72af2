/** Refuses the request that arrives, in either order, as "it is the one that finds no room". */
class TaskQueue {
    Waiting put(Task task, long nowNanos) {
        Waiting arrival = new Waiting(task, nowNanos, true);
        if (length.incrementAndGet() > lengthMax) {
            length.decrementAndGet();
            return arrival;
        }
        requests.addLast(arrival);
        return null;
    }
}
