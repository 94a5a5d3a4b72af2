package dht.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.testkit.node.ClusterHome.ClusterList;
import java.net.BindException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClusterHomeTest {
    private final List<NodeSpec> started = new ArrayList<>();
    private final AtomicInteger stopped = new AtomicInteger();

    private AutoCloseable start(NodeSpec spec) {
        started.add(spec);
        return stopped::incrementAndGet;
    }

    @Test
    void start_ofThree_tellsEachAllInAnotherOrder() {
        try (var home =
                ClusterHome.start(InProcess.of(this::start), "node", 3, ClusterList.ROTATED)) {
            assertThat(home.isRunning()).isTrue();
            assertThat(started)
                    .extracting(NodeSpec::name)
                    .containsExactly("node-1", "node-2", "node-3");
            var urls = started.stream().map(NodeSpec::self).toList();
            assertThat(Set.copyOf(urls)).hasSize(3);
            assertThat(started)
                    .allSatisfy(
                            spec ->
                                    assertThat(spec.cluster())
                                            .containsExactlyInAnyOrderElementsOf(urls));
            assertThat(started.stream().map(NodeSpec::clusterList).distinct()).hasSize(3);
            assertThat(started.stream().map(NodeSpec::dataDir).distinct()).hasSize(3);
        }
        assertThat(stopped).hasValue(3);
    }

    @Test
    void start_withAListOfTheTestsOwn_tellsIt() {
        ClusterList onlyItself = (all, node) -> List.<URI>of(all.get(node));
        try (var _ = ClusterHome.start(InProcess.of(this::start), "node", 2, onlyItself)) {
            assertThat(started).allSatisfy(spec -> assertThat(spec.cluster()).hasSize(1));
        }
    }

    @Test
    void start_whereOnePortIsTaken_startsAllAnewOnOthers() {
        var attempts = new AtomicInteger();
        var factory =
                InProcess.of(
                        spec -> {
                            if (attempts.incrementAndGet() == 2) {
                                throw new BindException("Address already in use");
                            }
                            return start(spec);
                        });
        try (var home = ClusterHome.start(factory, "node", 2, ClusterList.ROTATED)) {
            assertThat(home.isRunning()).isTrue();
            assertThat(started).hasSize(3);
            assertThat(started.get(0).cluster()).doesNotContain(started.get(1).self());
        }
    }

    @Test
    void start_whereOneNodeRefuses_endsTheOthers() {
        var attempts = new AtomicInteger();
        var factory =
                InProcess.of(
                        spec -> {
                            if (attempts.incrementAndGet() == 3) {
                                throw new IllegalStateException("no");
                            }
                            return start(spec);
                        });
        assertThatThrownBy(() -> ClusterHome.start(factory, "node", 3, ClusterList.ROTATED))
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("node-3");
        assertThat(stopped).hasValue(2);
    }
}
