package dht.benchmarks.sharding;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;
import java.util.IntSummaryStatistics;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Prints a table in Markdown: how evenly a ring distributes numbered keys, for each hash of the
 * keys. The places of the nodes do not depend on that hash. The keys are always the same, and so
 * are the figures.
 */
public final class HashReport {
    private static final int KEYS = 100_000;
    private static final int[] NODE_COUNTS = {3, 10};
    private static final int VIRTUAL_NODES = 2048;

    private HashReport() {}

    public static void main(String[] args) {
        System.out.println("## Hash choice\n");
        System.out.printf(
                Locale.ROOT,
                "%,d keys, from `key-0` on, on a ring with %,d virtual nodes for each node. The columns are the keys of the"
                        + " node that has the most, and of the one that has the fewest, divided by an equal share.%n%n",
                KEYS,
                VIRTUAL_NODES);
        System.out.println("| hash | 3 nodes: most | fewest | 10 nodes: most | fewest |");
        System.out.println("|---|---|---|---|---|");
        for (KeyHash hash : KeyHash.values()) {
            StringBuilder row = new StringBuilder("| " + hash.title() + " |");
            for (int nodes : NODE_COUNTS) {
                IntSummaryStatistics held = held(hash, ring(nodes), nodes);
                double share = (double) KEYS / nodes;
                row.append(
                        String.format(
                                Locale.ROOT,
                                " %.2f | %.2f |",
                                held.getMax() / share,
                                held.getMin() / share));
            }
            System.out.println(row);
        }
    }

    private static TreeMap<Long, Integer> ring(int nodes) {
        TreeMap<Long, Integer> ring = new TreeMap<>(Long::compareUnsigned);
        for (String name : Nodes.names(nodes)) {
            int node = ring.size() / VIRTUAL_NODES;
            for (int i = 0; i < VIRTUAL_NODES; i++) {
                ring.put(Hashing.xxh3_64().hashBytesToLong((name + "#" + i).getBytes(UTF_8)), node);
            }
        }
        return ring;
    }

    private static IntSummaryStatistics held(KeyHash hash, TreeMap<Long, Integer> ring, int nodes) {
        int[] held = new int[nodes];
        for (int i = 0; i < KEYS; i++) {
            Map.Entry<Long, Integer> next =
                    ring.ceilingEntry(hash.of(("key-" + i).getBytes(UTF_8)));
            held[(next == null ? ring.firstEntry() : next).getValue()]++;
        }
        return IntStream.of(held).summaryStatistics();
    }
}
