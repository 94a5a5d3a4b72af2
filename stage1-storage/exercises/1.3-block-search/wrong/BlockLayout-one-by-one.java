/** Right, but looks at every entry before the answer. */
class BlockLayout {
    static int ceiling(MemorySegment table, long block, long length, int count, byte[] key) {
        for (int ordinal = 0; ordinal < count; ordinal++) {
            long entry = entry(table, block, length, count, ordinal);
            if (Bytes.compare(key, table, entry + KEY_OFFSET, keyLength(table, entry)) <= 0) {
                return ordinal;
            }
        }
        return count;
    }
}
