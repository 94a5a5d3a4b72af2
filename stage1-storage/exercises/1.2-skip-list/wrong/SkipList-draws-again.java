/** Draws until a height fits: after that, the nodes have other heights than those that the sizer has counted. */
class SkipList {
    void insert(byte[] key, long recordOffset) {
        int height = drawHeight(random);
        while (usedBytes + NodeLayout.bytes(key.length, height) > memory.byteSize()) {
            height = drawHeight(random);
        }
        int node = NodeLayout.reference(usedBytes);
        usedBytes += NodeLayout.bytes(key.length, height);
        NodeLayout.write(memory, node, key, height, NodeLayout.version(recordOffset, NodeLayout.NONE));
        for (int level = 0; level < height; level++) {
            NodeLayout.next(memory, node, level, NodeLayout.next(memory, predecessors[level], level));
            NodeLayout.next(memory, predecessors[level], level, node);
        }
    }
}
