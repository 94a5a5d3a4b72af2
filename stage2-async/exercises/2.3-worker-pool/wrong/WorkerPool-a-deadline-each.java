/** Gives each worker the whole timeout: with many that hang, a stop takes many timeouts. */
class WorkerPool {
    public void close() {
        stopping = true;
        for (Worker worker : workers) {
            worker.wake();
        }
        for (Worker worker : workers) {
            worker.awaitEnd(System.nanoTime() + drainTimeout.toNanos());
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
