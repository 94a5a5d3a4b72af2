/** Wakes up by itself each millisecond to look at the flag, and so takes processor time without any work. */
class Worker {
    private void sleep() {
        asleep.set(true);
        if (source.hasWork() || source.isStopping()) {
            asleep.set(false);
        }
        while (asleep.get()) {
            LockSupport.parkNanos(source, 1_000_000);
        }
    }
}
