import java.util.Comparator;
import java.util.stream.IntStream;

/** Sorts from the smallest score up: the list does not begin with the owner. */
class RendezvousPlacement {
    public int[] preferenceList(byte[] key, int count) {
        long keyHash = PlacementHash.ofKey(key);
        return IntStream.range(0, nameHashes.length)
                .boxed()
                .sorted(Comparator.comparing(node -> PlacementHash.combine(nameHashes[node], keyHash)))
                .limit(count)
                .mapToInt(node -> node)
                .toArray();
    }
}
