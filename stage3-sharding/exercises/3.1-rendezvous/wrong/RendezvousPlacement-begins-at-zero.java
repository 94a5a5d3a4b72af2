/** Begins the search with the score 0: if all scores are negative, the first node gets the key. */
class RendezvousPlacement {
    public int owner(byte[] key) {
        long keyHash = PlacementHash.ofKey(key);
        int owner = 0;
        long greatest = 0;
        for (int node = 0; node < nameHashes.length; node++) {
            long score = PlacementHash.combine(nameHashes[node], keyHash);
            if (score > greatest) {
                greatest = score;
                owner = node;
            }
        }
        return owner;
    }
}
