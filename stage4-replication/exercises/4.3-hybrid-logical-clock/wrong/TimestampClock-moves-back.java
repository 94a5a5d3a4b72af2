/** Sets the clock to every stamp that it sees: an older stamp moves it back. */
class TimestampClock {
    public void advanceTo(long micros) {
        lastMicros.set(micros - 1);
    }
}
