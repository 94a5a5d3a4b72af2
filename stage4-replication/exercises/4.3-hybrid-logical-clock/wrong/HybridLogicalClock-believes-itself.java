/** Treats its own stamps as a proof that others accept them, so it accepts itself whatever its clock says. */
class HybridLogicalClock {
    public boolean isBelieved(long micros) {
        return micros <= stamps.lastMicros();
    }
}
