/** Checks no count: a list that is longer than the cluster names its first node again. */
class RendezvousPlacement {
    public int[] preferenceList(byte[] key, int count) {
        long keyHash = PlacementHash.ofKey(key);
        int[] nodes = new int[count];
        long[] scores = new long[count];
        int found = 0;
        for (int node = 0; node < nameHashes.length; node++) {
            long score = PlacementHash.combine(nameHashes[node], keyHash);
            int place = found;
            while (place > 0 && scores[place - 1] < score) {
                place--;
            }
            if (place < count) {
                found = Math.min(found + 1, count);
                shift(scores, nodes, place, found);
                scores[place] = score;
                nodes[place] = node;
            }
        }
        return nodes;
    }
}
