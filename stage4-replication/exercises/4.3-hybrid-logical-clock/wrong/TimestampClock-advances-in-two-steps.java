/** Compares and sets in two steps: another thread may move the clock further in between, and then it goes back. */
class TimestampClock {
    public void advanceTo(long micros) {
        if (micros > lastMicros.get()) {
            lastMicros.set(micros);
        }
    }
}
