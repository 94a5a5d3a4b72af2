/** Takes the stamp for milliseconds: no tombstone is ever old. */
class KeyRepair {
    private boolean isForgotten(Copy tombstone) {
        return timeOfDay.millis() - tombstone.timestampMicros() > tombstoneGrace.toMillis();
    }
}
