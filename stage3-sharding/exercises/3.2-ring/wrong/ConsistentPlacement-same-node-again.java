/** Takes the next tokens, whatever their nodes: two copies may be on one node. */
class ConsistentPlacement {
    int[] preferenceList(long keyHash, int count) {
        int[] nodes = new int[count];
        int token = firstTokenFor(keyHash);
        for (int i = 0; i < count; i++) {
            nodes[i] = node((token + i) % tokens.length);
        }
        return nodes;
    }
}
