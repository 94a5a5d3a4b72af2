/** Reads the flag, and then clears it in a second step: two threads may both read that the worker sleeps. */
class Worker {
    boolean wake() {
        if (asleep.get()) {
            asleep.set(false);
            LockSupport.unpark(thread);
            return true;
        }
        return false;
    }
}
