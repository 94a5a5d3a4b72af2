/** Skips a node only if the token just before was of the same node. */
class ConsistentPlacement {
    int[] preferenceList(long keyHash, int count) {
        int[] nodes = new int[count];
        int found = 0;
        for (int token = firstTokenFor(keyHash); found < count; token = (token + 1) % tokens.length) {
            int node = node(token);
            if (found == 0 || nodes[found - 1] != node) {
                nodes[found++] = node;
            }
        }
        return nodes;
    }
}
