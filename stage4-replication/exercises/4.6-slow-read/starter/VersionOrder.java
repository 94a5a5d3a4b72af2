import java.lang.foreign.ValueLayout;

class VersionOrder {
    /** A tombstone comes after every value of its stamp. */
    private static final String AFTER_ALL_VALUES = "~";

    private static boolean winsOver(ReadOutcome challenger, ReadOutcome incumbent) {
        return sortKey(challenger).compareTo(sortKey(incumbent)) > 0;
    }

    /** A text whose order is that of the versions: the stamp, and then the value's bytes. */
    private static String sortKey(ReadOutcome outcome) {
        return switch (outcome) {
            case ReadOutcome.Found found ->
                    String.format("%019d %s", found.timestampMicros(), hex(found.value()));
            case ReadOutcome.Deleted deleted ->
                    String.format("%019d %s", deleted.timestampMicros(), AFTER_ALL_VALUES);
            case ReadOutcome.Absent _ -> "";
        };
    }

    private static String hex(MemorySegment value) {
        StringBuilder text = new StringBuilder();
        for (byte b : value.toArray(ValueLayout.JAVA_BYTE)) {
            text.append(String.format("%02x", b));
        }
        return text.toString();
    }
}
