package dht.repair;

import dht.replication.PlacementRecord;
import java.util.Arrays;

/**
 * The key under which a hint is stored in its file. It also contains the number of nodes that hold
 * the version, unless all nodes do:
 *
 * <pre>
 *   key                 all nodes hold the version
 *   0xFF | from 1 | key only this many do
 * </pre>
 *
 * A client's key never begins with 0xFF. Stateless and thread-safe.
 */
final class HintKey {
    private static final int HEAD_BYTES = 2;

    private HintKey() {}

    static byte[] of(byte[] key, int from) {
        if (from == 0) {
            return key;
        }
        byte[] stored = new byte[HEAD_BYTES + key.length];
        stored[0] = PlacementRecord.PREFIX;
        stored[1] = (byte) from;
        System.arraycopy(key, 0, stored, HEAD_BYTES, key.length);
        return stored;
    }

    /**
     * Turns a stored hint back: into the entity's key, and the number of nodes that hold the
     * version.
     */
    static Copy decoded(Copy stored) {
        byte[] key = stored.key();
        return key.length > HEAD_BYTES && key[0] == PlacementRecord.PREFIX
                ? stored.with(
                        Arrays.copyOfRange(key, HEAD_BYTES, key.length), Byte.toUnsignedInt(key[1]))
                : stored;
    }
}
