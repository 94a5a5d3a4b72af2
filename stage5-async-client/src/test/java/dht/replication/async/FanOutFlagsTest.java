package dht.replication.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.command.ListenFlags;
import dht.http.HttpOptions;
import dht.peer.Credentials;
import dht.peer.Peer;
import dht.peer.PeerFlags;
import dht.peer.RemoteNode;
import dht.peer.async.AsyncPeer;
import dht.peer.blocking.BlockingPeer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class FanOutFlagsTest {
    private static <T> T parsed(T flags, String... options) {
        new CommandLine(flags).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(options);
        return flags;
    }

    /** Of a cluster of two nodes. Nobody is asked. */
    private static ReplicaAccess open(String... options) {
        Topology topology =
                new Topology(
                        List.of(new NodeAddress("127.0.0.1", 1), new NodeAddress("127.0.0.1", 2)),
                        0);
        Credentials credentials =
                new Credentials(
                        topology.selfAddress(), Fingerprint.of(topology, ""), Optional.empty());
        HttpOptions http = parsed(new ListenFlags()).httpOptions();
        return parsed(new FanOutFlags(), options)
                .open(parsed(new PeerFlags()), topology, credentials, http);
    }

    @ParameterizedTest
    @CsvSource({"0.1, 0.1", "95, 95", "99.9, 99.9", "off,"})
    void percentile_isOverZeroAndUnderHundredOrOff(String text, Double percentile) {
        FanOutFlags flags = parsed(new FanOutFlags(), "--hedge-percentile=" + text);
        assertThat(flags.hedgePercentile()).isEqualTo(Optional.ofNullable(percentile));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--hedge-percentile=0",
                "--hedge-percentile=100",
                "--hedge-percentile=often",
                "--peer-client=curl"
            })
    void option_thatMakesNoSense_isRefused(String option) {
        assertThatThrownBy(() -> parsed(new FanOutFlags(), option))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining(option.substring(option.indexOf('=') + 1));
    }

    private static Stream<Arguments> clients() {
        return Stream.of(
                Arguments.of("--peer-client=jdk", "--fan-out=async", AsyncPeer.class),
                Arguments.of("--peer-client=jdk", "--fan-out=parallel", BlockingPeer.class),
                Arguments.of("--peer-client=jdk", "--fan-out=sequential", BlockingPeer.class),
                Arguments.of("--peer-client=one-nio", "--fan-out=parallel", Peer.class),
                Arguments.of("--peer-client=one-nio", "--fan-out=sequential", Peer.class));
    }

    @ParameterizedTest
    @MethodSource("clients")
    void client_isTheOneThatWasChosen(
            String client, String fanOut, Class<? extends RemoteNode> expected) {
        try (ReplicaAccess access = open(client, fanOut)) {
            assertThat(access.peers().all()).singleElement().isInstanceOf(expected);
        }
    }

    @Test
    void clientThatBlocks_askedNotToBlock_isRefused() {
        assertThatThrownBy(() -> open("--peer-client=one-nio", "--fan-out=async"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--fan-out=parallel");
    }

    @Test
    void metrics_ofHedgedReads_areThereFromTheStart() {
        PrometheusRegistry registry = new PrometheusRegistry();
        try (ReplicaAccess access = open("--fan-out=parallel")) {
            access.watch(registry);
            assertThat(registry.scrape("reads_hedged"::equals).stream())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            CounterSnapshot.class,
                            counter ->
                                    assertThat(counter.getDataPoints())
                                            .extracting(each -> each.getLabels().get("outcome"))
                                            .containsExactlyInAnyOrder("asked", "denied"));
            assertThat(registry.scrape("hedge_delay_seconds"::equals).stream())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            GaugeSnapshot.class,
                            gauge ->
                                    assertThat(gauge.getDataPoints())
                                            .singleElement()
                                            .satisfies(
                                                    each ->
                                                            assertThat(each.getValue())
                                                                    .isPositive()));
            assertThat(registry.scrape("peer_messages"::equals).size()).isEqualTo(1);
            assertThat(registry.scrape(name -> name.startsWith("peer_")).size()).isGreaterThan(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--hedge-percentile=off", "--fan-out=sequential"})
    void metrics_withoutHedgedReads_areNotThere(String option) {
        PrometheusRegistry registry = new PrometheusRegistry();
        try (ReplicaAccess access = open(option)) {
            access.watch(registry);
            assertThat(registry.scrape("reads_hedged"::equals).size()).isZero();
        }
    }
}
