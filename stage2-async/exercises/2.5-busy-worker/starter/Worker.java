/** Looks for work again and again for some milliseconds before it sleeps: at any usual rate it never sleeps. */
class Worker {
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private void sleep() {
        if (lookAround()) {
            return;
        }
        asleep.set(true);
        if (source.hasWork() || source.isStopping()) {
            asleep.set(false);
        }
        while (asleep.get()) {
            LockSupport.park(source);
        }
    }

    /** Whether something turned up in a while: a wake-up costs time that a request would wait for. */
    private boolean lookAround() {
        long untilNanos = System.nanoTime() + PATIENCE_NANOS;
        do {
            if (source.hasWork() || source.isStopping()) {
                return true;
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - untilNanos < 0);
        return false;
    }
}
