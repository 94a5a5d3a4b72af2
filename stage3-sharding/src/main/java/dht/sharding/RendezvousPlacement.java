package dht.sharding;

import java.util.List;

/**
 * Rendezvous hashing: a key belongs to the nodes with the greatest scores. The score of a node is a
 * hash of its name and the key. So each key has its own order of nodes. When a node leaves, its
 * keys are divided evenly among all other nodes. Immutable and thread-safe.
 */
final class RendezvousPlacement implements Placement {
    private final long[] nameHashes;

    RendezvousPlacement(List<String> names) {
        this.nameHashes = names.stream().mapToLong(PlacementHash::ofName).toArray();
    }

    @Override
    public int nodeCount() {
        return nameHashes.length;
    }

    @Override
    public int owner(byte[] key) {
        long keyHash = PlacementHash.ofKey(key);
        int owner = 0;
        long greatest = Long.MIN_VALUE;
        for (int node = 0; node < nameHashes.length; node++) {
            long score = PlacementHash.combine(nameHashes[node], keyHash);
            if (score > greatest) {
                greatest = score;
                owner = node;
            }
        }
        return owner;
    }

    @Override
    public int[] preferenceList(byte[] key, int count) {
        Placement.checkCount(count, nodeCount());
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

    /** Makes room at {@code place}; the last element may drop out. */
    private static void shift(long[] scores, int[] nodes, int place, int length) {
        System.arraycopy(scores, place, scores, place + 1, length - place - 1);
        System.arraycopy(nodes, place, nodes, place + 1, length - place - 1);
    }
}
