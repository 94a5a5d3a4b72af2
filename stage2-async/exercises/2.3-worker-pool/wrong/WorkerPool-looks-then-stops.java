/** Looks into the queue for the last time, and says so afterwards: a task may come between the two. */
class WorkerPool {
    public void close() {
        stopping = true;
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        for (Worker worker : workers) {
            worker.wake();
        }
        for (Worker worker : workers) {
            worker.awaitEnd(deadlineNanos);
        }
        refuseAll();
        stopped = true;
        for (Worker worker : workers) {
            if (worker.isAlive()) {
                LOG.error("{} did not end within {} of the stop", worker, drainTimeout);
            }
        }
    }
}
