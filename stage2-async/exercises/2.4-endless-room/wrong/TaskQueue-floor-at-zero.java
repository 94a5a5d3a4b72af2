/** Keeps the number from going below 0. But a look that finds nothing still counts out a request that is about to come. */
class TaskQueue {
    private Waiting counted(Waiting taken) {
        length.updateAndGet(count -> Math.max(0, count - 1));
        return taken;
    }
}
