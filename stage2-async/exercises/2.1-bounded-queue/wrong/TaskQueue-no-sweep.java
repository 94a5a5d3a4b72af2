/** Forgets the overdue ones: a worker comes to them only when the burst is over. */
class TaskQueue {
    private Waiting takeRequest(long nowNanos) {
        boolean fewWait = length.get() <= lengthMax / MANY_SHARE;
        return order == Order.FIFO || fewWait ? takeOldest() : counted(requests.pollLast());
    }
}
