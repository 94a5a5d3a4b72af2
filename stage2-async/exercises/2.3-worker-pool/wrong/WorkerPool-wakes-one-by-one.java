/** Wakes a worker and waits for it before it wakes the next one: behind one that hangs, all others go on sleeping. */
class WorkerPool {
    public void close() {
        stopping = true;
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        for (Worker worker : workers) {
            worker.wake();
            worker.awaitEnd(deadlineNanos);
        }
        stopped = true;
        refuseAll();
        for (Worker worker : workers) {
            if (worker.isAlive()) {
                LOG.error("{} did not end within {} of the stop", worker, drainTimeout);
            }
        }
    }
}
