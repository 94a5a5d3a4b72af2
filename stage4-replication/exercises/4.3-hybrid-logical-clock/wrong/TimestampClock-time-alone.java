/** Returns the time of day, or the greatest stamp if that is later; but two calls within a microsecond get the same stamp. */
class TimestampClock {
    public long nextMicros() {
        Instant now = source.instant();
        long nowMicros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        return lastMicros.accumulateAndGet(nowMicros, Math::max);
    }
}
