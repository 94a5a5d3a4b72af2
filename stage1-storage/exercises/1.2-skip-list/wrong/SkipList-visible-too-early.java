/** Links the predecessor first: it has saved the old reference, so the list is right in the end, but not between. */
class SkipList {
    void insert(byte[] key, long recordOffset) {
        int height = drawHeight(random);
        if (usedBytes + NodeLayout.bytes(key.length, height) > memory.byteSize()) {
            height = 1;
        }
        int node = NodeLayout.reference(usedBytes);
        usedBytes += NodeLayout.bytes(key.length, height);
        NodeLayout.write(memory, node, key, height, NodeLayout.version(recordOffset, NodeLayout.NONE));
        for (int level = 0; level < height; level++) {
            int successor = NodeLayout.next(memory, predecessors[level], level);
            NodeLayout.next(memory, predecessors[level], level, node);
            NodeLayout.next(memory, node, level, successor);
        }
    }
}
