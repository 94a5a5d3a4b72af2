/** Unparks the thread whether or not it sleeps, and says that it woke it: "unpark does no harm". */
class Worker {
    boolean wake() {
        asleep.set(false);
        LockSupport.unpark(thread);
        return true;
    }
}
