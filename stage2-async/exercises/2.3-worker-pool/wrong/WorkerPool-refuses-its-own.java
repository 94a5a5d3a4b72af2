/** Refuses the task that it was given when the queue is full; but the queue may have given back another one. */
class WorkerPool {
    public void execute(Task task) {
        long nowNanos = nanoClock.getAsLong();
        if (stopping) {
            rejections.refuse(task, Cause.STOPPING, nowNanos);
            return;
        }
        if (queue.put(task, nowNanos) != null) {
            rejections.refuse(task, Cause.FULL, nowNanos);
        }
        announce();
    }
}
