/** Looks once more for work, but not for the end: the pool that closes waits for it in vain. */
class Worker {
    private void sleep() {
        asleep.set(true);
        if (source.hasWork()) {
            asleep.set(false);
        }
        while (asleep.get()) {
            LockSupport.park(source);
        }
    }
}
