import java.util.Comparator;
import java.util.stream.IntStream;

/** Takes the first nodes of the cluster and sorts them: the best node may not be among them. */
class RendezvousPlacement {
    public int[] preferenceList(byte[] key, int count) {
        long keyHash = PlacementHash.ofKey(key);
        return IntStream.range(0, count)
                .boxed()
                .sorted(
                        Comparator.comparing(
                                node -> -PlacementHash.combine(nameHashes[node], keyHash)))
                .mapToInt(node -> node)
                .toArray();
    }
}
