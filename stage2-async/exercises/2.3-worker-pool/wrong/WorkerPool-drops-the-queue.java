/** Refuses what waits as soon as it is closed, though the workers have time for it. */
class WorkerPool {
    public void close() {
        stopping = true;
        stopped = true;
        refuseAll();
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        for (Worker worker : workers) {
            worker.wake();
            worker.awaitEnd(deadlineNanos);
            if (worker.isAlive()) {
                LOG.error("{} did not end within {} of the stop", worker, drainTimeout);
            }
        }
    }
}
