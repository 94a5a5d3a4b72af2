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
                    String.format("%019d %s", found.timestampMicros(), bits(found.value()));
            case ReadOutcome.Deleted deleted ->
                    String.format("%019d %s", deleted.timestampMicros(), AFTER_ALL_VALUES);
            case ReadOutcome.Absent _ -> "";
        };
    }

    private static String bits(MemorySegment value) {
        String text = "";
        for (byte b : value.toArray(ValueLayout.JAVA_BYTE)) {
            String bits = Integer.toBinaryString(b & 0xff);
            text = String.format("%s%8s", text, bits).replace(' ', '0');
        }
        return text;
    }
}
