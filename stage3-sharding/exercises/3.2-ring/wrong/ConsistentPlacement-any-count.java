/** Checks no count: a list of more nodes than there are is never full, and the walk has no end. */
class ConsistentPlacement {
    int[] preferenceList(long keyHash, int count) {
        int[] nodes = new int[count];
        boolean[] isListed = new boolean[nodeCount];
        int found = 0;
        for (int token = firstTokenFor(keyHash); found < count; token = (token + 1) % tokens.length) {
            int node = node(token);
            if (!isListed[node]) {
                isListed[node] = true;
                nodes[found++] = node;
            }
        }
        return nodes;
    }
}
