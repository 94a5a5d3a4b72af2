/** Compares only stamps: with equal stamps the first answer wins, so two coordinators see different versions. */
class VersionOrder {
    private static boolean winsOver(ReadOutcome challenger, ReadOutcome incumbent) {
        return stamp(challenger) > stamp(incumbent);
    }

    private static long stamp(ReadOutcome outcome) {
        return switch (outcome) {
            case ReadOutcome.Found found -> found.timestampMicros();
            case ReadOutcome.Deleted deleted -> deleted.timestampMicros();
            case ReadOutcome.Absent _ -> 0;
        };
    }
}
