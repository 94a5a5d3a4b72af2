/** Treats the stamp as milliseconds: no tombstone is ever old. */
class KeyRepair {
    private boolean isForgotten(Copy tombstone) {
        return timeOfDay.millis() - tombstone.timestampMicros() > tombstoneGrace.toMillis();
    }
}
