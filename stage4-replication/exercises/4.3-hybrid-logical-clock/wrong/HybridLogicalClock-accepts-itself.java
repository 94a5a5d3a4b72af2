/** Treats its own stamps as a proof that others accept them, so it accepts itself whatever its clock says. */
class HybridLogicalClock {
    public boolean isProbablyAccepted(long micros) {
        return micros <= stamps.lastMicros();
    }
}
