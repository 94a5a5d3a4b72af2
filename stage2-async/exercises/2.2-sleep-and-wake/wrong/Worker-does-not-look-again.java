/** Sleeps at once, as the worker has just looked and found nothing. */
class Worker {
    private void sleep() {
        asleep.set(true);
        while (asleep.get()) {
            LockSupport.park(source);
        }
    }
}
