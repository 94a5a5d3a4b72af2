package dht.testkit.tiny;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A version of a key, as replicas keep it. Immutable.
 *
 * @param value null: a tombstone
 */
record TinyVersion(long stamp, byte[] value) implements Comparable<TinyVersion> {
    static final TinyVersion NONE = new TinyVersion(Long.MIN_VALUE, null);

    static TinyVersion decode(byte[] stored) {
        var bytes = ByteBuffer.wrap(stored);
        var stamp = bytes.getLong();
        var isTombstone = bytes.get() == 0;
        return new TinyVersion(
                stamp, isTombstone ? null : Arrays.copyOfRange(stored, 9, stored.length));
    }

    byte[] encode() {
        var length = isTombstone() ? 0 : value.length;
        var bytes =
                ByteBuffer.allocate(9 + length).putLong(stamp).put((byte) (isTombstone() ? 0 : 1));
        return isTombstone() ? bytes.array() : bytes.put(value).array();
    }

    boolean isTombstone() {
        return value == null;
    }

    @Override
    public int compareTo(TinyVersion other) {
        if (stamp != other.stamp) {
            return Long.compare(stamp, other.stamp);
        }
        if (isTombstone() || other.isTombstone()) {
            return Boolean.compare(isTombstone(), other.isTombstone());
        }
        return Arrays.compareUnsigned(value, other.value);
    }
}
