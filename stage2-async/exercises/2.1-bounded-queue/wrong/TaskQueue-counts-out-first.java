/** Counts a request out before it has left: for a moment, another one finds a place that is not free yet. */
class TaskQueue {
    private Waiting takeOldest() {
        length.decrementAndGet();
        Waiting taken = requests.pollFirst();
        if (taken == null) {
            length.incrementAndGet();
        }
        return taken;
    }
}
