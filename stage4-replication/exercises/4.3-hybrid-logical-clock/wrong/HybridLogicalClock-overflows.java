/** Subtracts the stamps as numbers: far in the past, the difference overflows and looks like the future. */
class HybridLogicalClock {
    private boolean isTooFarAhead(long micros) {
        Instant now = timeOfDay.instant();
        long nowMicros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        return micros - nowMicros >= aheadMax.toMillis() * 1000;
    }
}
