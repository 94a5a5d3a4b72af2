package dht.range;

import dht.storage.EntryView;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A version of a key, from one node. Immutable.
 *
 * @param value empty if the entry is a tombstone or large
 * @param isLarge whether the value was too large for the page, and must be asked for alone
 */
record RangeEntry(
        byte[] key, byte[] value, long timestampMicros, boolean isTombstone, boolean isLarge) {
    /** The current entry of a page. */
    static RangeEntry of(EntryPage.Reader page) {
        return new RangeEntry(
                page.key(),
                page.value(),
                page.timestampMicros(),
                page.isTombstone(),
                page.isLarge());
    }

    /** This entry with its large value. The value may belong to a newer version. */
    RangeEntry with(RangeNode.Large large) {
        return new RangeEntry(key, large.value(), large.timestampMicros(), false, false);
    }

    /**
     * This entry as a tombstone, with the same stamp: the key was deleted after the page was read.
     */
    RangeEntry deleted() {
        return new RangeEntry(key, new byte[0], timestampMicros, true, false);
    }

    int compareKey(RangeEntry other) {
        return Arrays.compareUnsigned(key, other.key);
    }

    /**
     * Whether this version wins over another of the same key, as in {@link
     * EntryView#winsOver(EntryView)}. Two large values with one stamp are not compared: nearly
     * always they are copies of one write.
     */
    boolean winsOver(RangeEntry other) {
        if (timestampMicros != other.timestampMicros) {
            return timestampMicros > other.timestampMicros;
        }
        if (isTombstone || other.isTombstone) {
            return isTombstone && !other.isTombstone;
        }
        return Arrays.compareUnsigned(value, other.value) > 0;
    }

    /** Moves a view to this entry. */
    void show(EntryView view) {
        byte[] both = Arrays.copyOf(key, key.length + value.length);
        System.arraycopy(value, 0, both, key.length, value.length);
        view.wrap(
                MemorySegment.ofArray(both),
                0,
                key.length,
                key.length,
                isTombstone ? EntryView.TOMBSTONE : value.length,
                timestampMicros);
    }
}
