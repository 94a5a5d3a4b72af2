/** Wakes the thread before it clears the flag: the worker may see the old flag, and sleep again. */
class Worker {
    boolean wake() {
        if (!asleep.get()) {
            return false;
        }
        LockSupport.unpark(thread);
        return asleep.compareAndSet(true, false);
    }
}
