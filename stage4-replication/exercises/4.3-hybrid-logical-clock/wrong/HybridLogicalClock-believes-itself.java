/** Takes its own stamps for a proof that others believe it: so it believes itself whatever its clock says. */
class HybridLogicalClock {
    public boolean isBelieved(long micros) {
        return micros <= stamps.lastMicros();
    }
}
