/** Serves the newest first however few wait, and leaves the overdue ones where they are. */
class TaskQueue {
    private Waiting takeRequest(long nowNanos) {
        return order == Order.FIFO ? takeOldest() : counted(requests.pollLast());
    }
}
