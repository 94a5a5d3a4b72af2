/** Runs whatever it takes, however old it is. */
class WorkerPool {
    public boolean runNext(boolean resumedFirst) {
        Waiting next = queue.take(resumedFirst, nanoClock.getAsLong());
        if (next != null) {
            next.task().run();
        }
        return next != null;
    }
}
