/** Reads the last stamp and sets the next one in two steps: two threads may get the same stamp. */
class TimestampClock {
    public long nextMicros() {
        Instant now = source.instant();
        long nowMicros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        long next = Math.max(nowMicros, lastMicros.get() + 1);
        lastMicros.set(next);
        return next;
    }
}
