/** Divides the hash by the number of nodes: even shares, but nearly all keys move when a node leaves. */
class RendezvousPlacement {
    public int owner(byte[] key) {
        return Math.floorMod(PlacementHash.ofKey(key), nameHashes.length);
    }

    public int[] preferenceList(byte[] key, int count) {
        int[] nodes = new int[count];
        for (int i = 0; i < count; i++) {
            nodes[i] = (owner(key) + i) % nameHashes.length;
        }
        return nodes;
    }
}
