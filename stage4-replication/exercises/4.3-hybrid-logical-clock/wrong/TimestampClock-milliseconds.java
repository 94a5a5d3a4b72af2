/** Reads whole milliseconds: its stamps may be too small, and an earlier write of another node then wins. */
class TimestampClock {
    public long nextMicros() {
        long nowMicros = source.instant().toEpochMilli() * 1_000;
        while (true) {
            long last = lastMicros.get();
            long next = Math.max(nowMicros, last + 1);
            if (lastMicros.compareAndSet(last, next)) {
                return next;
            }
        }
    }
}
