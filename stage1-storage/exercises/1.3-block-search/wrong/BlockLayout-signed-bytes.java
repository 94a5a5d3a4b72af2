/** Compares bytes as Java does, with a sign: those above 127 come before all others. */
class BlockLayout {
    static int ceiling(MemorySegment table, long block, long length, int count, byte[] key) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order(key, table, entry(table, block, length, count, middle)) > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static int order(byte[] key, MemorySegment table, long entry) {
        int keyLength = keyLength(table, entry);
        for (int i = 0; i < Math.min(key.length, keyLength); i++) {
            byte other = table.get(java.lang.foreign.ValueLayout.JAVA_BYTE, entry + KEY_OFFSET + i);
            if (key[i] != other) {
                return key[i] - other;
            }
        }
        return key.length - keyLength;
    }
}
