/** Links level 0 only: every key is found, after a walk past all those before it. */
class SkipList {
    void insert(byte[] key, long recordOffset) {
        int height = drawHeight(random);
        if (usedBytes + NodeLayout.bytes(key.length, height) > memory.byteSize()) {
            height = 1;
        }
        int node = NodeLayout.reference(usedBytes);
        usedBytes += NodeLayout.bytes(key.length, height);
        NodeLayout.write(memory, node, key, height, NodeLayout.version(recordOffset, NodeLayout.NONE));
        NodeLayout.next(memory, node, 0, NodeLayout.next(memory, predecessors[0], 0));
        NodeLayout.next(memory, predecessors[0], 0, node);
    }
}
