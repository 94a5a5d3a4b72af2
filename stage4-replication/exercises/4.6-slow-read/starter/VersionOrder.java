import java.lang.foreign.ValueLayout;

class VersionOrder {
    /** A tombstone comes after every value of its stamp. */
    private static final String AFTER_ALL_VALUES = "~";

    static boolean winsOver(ReadOutcome challenger, ReadOutcome incumbent) {
        return sortKey(challenger).compareTo(sortKey(incumbent)) > 0;
    }

    /** A text whose order is that of the versions: the stamp, and then the value's bits. */
    private static String sortKey(ReadOutcome outcome) {
        return switch (outcome) {
            case ReadOutcome.Found found ->
                    String.format("%019d %s", found.timestampMicros(), bits(found.value()));
            case ReadOutcome.Deleted deleted ->
                    String.format("%019d %s", deleted.timestampMicros(), AFTER_ALL_VALUES);
            case ReadOutcome.Absent _ -> "";
        };
    }

    private static String bits(MemorySegment value) {
        StringBuilder text = new StringBuilder();
        for (byte b : value.toArray(ValueLayout.JAVA_BYTE)) {
            for (int bit = Byte.SIZE - 1; bit >= 0; bit--) {
                text.append(String.format("%d", b >> bit & 1));
            }
        }
        return text.toString();
    }
}
