/** The upper border is the last entry: a key behind all others is said to be at the last one. */
class BlockLayout {
    static int ceiling(MemorySegment table, long block, long length, int count, byte[] key) {
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order(key, table, entry(table, block, length, count, middle)) > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return Math.max(0, low);
    }

    private static int order(byte[] key, MemorySegment table, long entry) {
        return Bytes.compare(key, table, entry + KEY_OFFSET, keyLength(table, entry));
    }
}
