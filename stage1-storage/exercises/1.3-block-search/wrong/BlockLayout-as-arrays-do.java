/** Answers as Arrays.binarySearch does: a negative number when the key is not there. */
class BlockLayout {
    static int ceiling(MemorySegment table, long block, long length, int count, byte[] key) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long entry = entry(table, block, length, count, middle);
            int order = Bytes.compare(key, table, entry + KEY_OFFSET, keyLength(table, entry));
            if (order == 0) {
                return middle;
            }
            if (order > 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -(low + 1);
    }
}
