/** Links the highest level first, as a search goes: a reader comes down in a node that is not yet on the level below. */
class SkipList {
    void insert(byte[] key, long recordOffset) {
        int height = drawHeight(random);
        if (usedBytes + NodeLayout.bytes(key.length, height) > memory.byteSize()) {
            height = 1;
        }
        int node = NodeLayout.reference(usedBytes);
        usedBytes += NodeLayout.bytes(key.length, height);
        NodeLayout.write(memory, node, key, height, NodeLayout.version(recordOffset, NodeLayout.NONE));
        for (int level = height - 1; level >= 0; level--) {
            NodeLayout.next(memory, node, level, NodeLayout.next(memory, predecessors[level], level));
            NodeLayout.next(memory, predecessors[level], level, node);
        }
    }
}
