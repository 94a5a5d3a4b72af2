/** Moves first and refuses then: the stamp that it refuses has driven the clock into the future all the same. */
class HybridLogicalClock {
    public void observe(long micros) throws StampAheadException {
        stamps.advanceTo(micros);
        if (isTooFarAhead(micros)) {
            throw new StampAheadException(
                    "timestamp=%d is %s, and this node's clock says %s"
                            .formatted(micros, instant(micros), timeOfDay.instant()));
        }
        believed(micros);
    }
}
