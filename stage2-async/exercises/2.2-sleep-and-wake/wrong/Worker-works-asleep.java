/** Goes back to work with the flag still set: the next task "wakes" this busy worker. */
class Worker {
    private void sleep() {
        asleep.set(true);
        if (source.hasWork() || source.isStopping()) {
            return;
        }
        while (asleep.get()) {
            LockSupport.park(source);
        }
    }
}
