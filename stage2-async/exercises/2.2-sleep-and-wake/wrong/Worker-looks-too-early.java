/** Looks first, and says that it sleeps afterwards: what is brought in between is slept over. */
class Worker {
    private void sleep() {
        if (source.hasWork() || source.isStopping()) {
            return;
        }
        asleep.set(true);
        while (asleep.get()) {
            LockSupport.park(source);
        }
    }
}
