/** Asks whether there is room, and then adds: two threads that ask at once both find the last place. */
class TaskQueue {
    Waiting put(Task task, long nowNanos) {
        Waiting arrival = new Waiting(task, nowNanos, true);
        Waiting rejected = null;
        if (length.get() >= lengthMax) {
            if (order == Order.FIFO) {
                return arrival;
            }
            rejected = takeOldest();
        }
        requests.addLast(arrival);
        length.incrementAndGet();
        return rejected;
    }
}
