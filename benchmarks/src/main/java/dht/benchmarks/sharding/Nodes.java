package dht.benchmarks.sharding;

import java.util.List;
import java.util.stream.IntStream;

/** Names of nodes, as a cluster has them. */
final class Nodes {
    private Nodes() {}

    static List<String> names(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "http://10.0.%d.%d:8080".formatted(i / 256, i % 256))
                .toList();
    }
}
