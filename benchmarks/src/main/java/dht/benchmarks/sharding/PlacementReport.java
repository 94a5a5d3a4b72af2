package dht.benchmarks.sharding;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.sharding.Placement;
import dht.sharding.PlacementKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Prints, as JSON, how evenly placements share keys out among nodes, and how many keys move when a
 * node joins or leaves. The keys are always the same, so the figures are too.
 */
public final class PlacementReport {
    private static final int KEYS = 100_000;
    private static final int[] NODE_COUNTS = {3, 5, 10};
    private static final int[] VIRTUAL_NODE_COUNTS = {
        3, 32, 256, 2048, PlacementKind.VIRTUAL_NODE_COUNT_DEFAULT
    };

    /** A placement with its settings. */
    private record Setting(PlacementKind kind, int virtualNodes) {
        Placement over(List<String> names) {
            return kind.of(names, virtualNodes);
        }

        String json() {
            String name = "\"placement\": \"%s\"".formatted(kind.name().toLowerCase(Locale.ROOT));
            return kind == PlacementKind.CONSISTENT
                    ? name + ", \"virtualNodes\": " + virtualNodes
                    : name;
        }
    }

    private PlacementReport() {}

    public static void main(String[] args) {
        List<Setting> settings = new ArrayList<>();
        settings.add(new Setting(PlacementKind.RENDEZVOUS, 1));
        for (int virtualNodes : VIRTUAL_NODE_COUNTS) {
            settings.add(new Setting(PlacementKind.CONSISTENT, virtualNodes));
        }
        List<String> spread = new ArrayList<>();
        List<String> movement = new ArrayList<>();
        for (Setting setting : settings) {
            for (int nodes : NODE_COUNTS) {
                spread.add(spread(setting, nodes, "random", PlacementReport::randomKey));
                spread.add(spread(setting, nodes, "sequential", PlacementReport::sequentialKey));
                movement.add(movement(setting, nodes));
            }
        }
        System.out.printf(
                "{\"keys\": %d,%n \"spread\": [%n  %s],%n \"movement\": [%n  %s]}%n",
                KEYS, String.join(",\n  ", spread), String.join(",\n  ", movement));
    }

    private static byte[] randomKey(int index) {
        byte[] key = new byte[16];
        new SplittableRandom(index).nextBytes(key);
        return key;
    }

    private static byte[] sequentialKey(int index) {
        return ("key-" + index).getBytes(UTF_8);
    }

    private static String spread(
            Setting setting, int nodes, String keySet, IntFunction<byte[]> key) {
        Placement placement = setting.over(Nodes.names(nodes));
        int[] held = new int[nodes];
        IntStream.range(0, KEYS).forEach(i -> held[placement.owner(key.apply(i))]++);
        return "{%s, \"nodes\": %d, \"keySet\": \"%s\", \"held\": %s}"
                .formatted(setting.json(), nodes, keySet, Arrays.toString(held));
    }

    /** From so many nodes to one more; the other way round, as many move. */
    private static String movement(Setting setting, int nodes) {
        Placement before = setting.over(Nodes.names(nodes));
        Placement after = setting.over(Nodes.names(nodes + 1));
        long moved =
                IntStream.range(0, KEYS)
                        .mapToObj(PlacementReport::randomKey)
                        .filter(key -> before.owner(key) != after.owner(key))
                        .count();
        return "{%s, \"from\": %d, \"to\": %d, \"moved\": %d}"
                .formatted(setting.json(), nodes, nodes + 1, moved);
    }
}
