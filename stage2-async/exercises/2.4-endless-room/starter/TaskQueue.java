/** Counts out one request for each poll, also for a poll that has found none. */
class TaskQueue {
    private Waiting counted(Waiting taken) {
        length.decrementAndGet();
        return taken;
    }
}
