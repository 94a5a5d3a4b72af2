/** Says that there was nothing to do when it has refused: while the pool closes, the worker ends too early. */
class WorkerPool {
    public boolean runNext(boolean resumedFirst) {
        long nowNanos = nanoClock.getAsLong();
        Waiting next = queue.take(resumedFirst, nowNanos);
        if (next == null) {
            return false;
        }
        if (queue.isOverdue(next, nowNanos)) {
            rejections.refuse(next.task(), Cause.DEADLINE, nowNanos);
            return false;
        }
        next.task().run();
        return true;
    }
}
