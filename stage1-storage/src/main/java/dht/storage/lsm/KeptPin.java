package dht.storage.lsm;

import dht.storage.memory.RefCounted;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one pin kept at the moment of the check: memtables, tables, and the copy of a value. What
 * the current snapshot also had is left out. Immutable.
 *
 * @param parts the memtables and tables; other pins may keep the same ones
 * @param copyBytes 0 if there is no copy
 * @param bytesPerSecond how fast the reader was; {@link Long#MAX_VALUE} while that is not known
 */
record KeptPin(Pin pin, List<RefCounted> parts, long copyBytes, long bytesPerSecond) {
    boolean isCopy() {
        return copyBytes > 0;
    }

    boolean isEmpty() {
        return copyBytes == 0 && parts.isEmpty();
    }

    /**
     * How many bytes several pins keep together. A memtable or table counts once, even if several
     * pins keep it.
     */
    static final class Sum {
        private final Map<RefCounted, Integer> holders = new IdentityHashMap<>();
        private long bytes;

        Sum(List<KeptPin> pins) {
            pins.forEach(this::add);
        }

        private void add(KeptPin pin) {
            bytes += pin.copyBytes;
            for (RefCounted part : pin.parts) {
                if (holders.merge(part, 1, Integer::sum) == 1) {
                    bytes += Pins.bytes(part);
                }
            }
        }

        void subtract(KeptPin pin) {
            bytes -= pin.copyBytes;
            for (RefCounted part : pin.parts) {
                if (holders.merge(part, -1, Integer::sum) == 0) {
                    bytes -= Pins.bytes(part);
                }
            }
        }

        long bytes() {
            return bytes;
        }
    }

    /** A set that compares its elements by identity. */
    static Set<RefCounted> newSet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }
}
