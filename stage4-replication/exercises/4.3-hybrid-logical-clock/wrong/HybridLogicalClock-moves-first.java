/** Moves the clock before it rejects the stamp: the rejected stamp has already moved the clock into the future. */
class HybridLogicalClock {
    public void observe(long micros) throws StampAheadException {
        stamps.advanceTo(micros);
        if (isTooFarAhead(micros)) {
            throw new StampAheadException(
                    "timestamp=%d is %s, and this node's clock says %s"
                            .formatted(micros, instant(micros), timeOfDay.instant()));
        }
        noteAccepted(micros);
    }
}
