/** Sets the clock to whatever it is told: a late stamp moves it back. */
class TimestampClock {
    public void advanceTo(long micros) {
        lastMicros.set(micros - 1);
    }
}
