/** Only avoids the last stamp: if the time is set back, or another clock is ahead, stamps go back. */
class TimestampClock {
    public long nextMicros() {
        Instant now = source.instant();
        long nowMicros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        while (true) {
            long last = lastMicros.get();
            long next = nowMicros == last ? last + 1 : nowMicros;
            if (lastMicros.compareAndSet(last, next)) {
                return next;
            }
        }
    }
}
