/** Believes that nothing comes after close() has looked for the last time. */
class WorkerPool {
    private void announce() {
        for (Worker worker : workers) {
            if (worker.wake()) {
                break;
            }
        }
    }
}
