/** Takes one place away, since there was one too many. */
class TaskQueue {
    private Waiting counted(Waiting taken) {
        length.decrementAndGet();
        return taken;
    }

    Waiting put(Task task, long nowNanos) {
        Waiting arrival = new Waiting(task, nowNanos, true);
        boolean isFull = length.incrementAndGet() > lengthMax - 1;
        if (isFull && order == Order.FIFO) {
            length.decrementAndGet();
            return arrival;
        }
        requests.addLast(arrival);
        return isFull ? takeOldest() : null;
    }
}
