package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.peer.Credentials;
import dht.peer.PeerOptions;
import dht.storage.file.LocalDirectory;
import dht.storage.manifest.ManifestFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a node concludes from its data directory when it starts. */
class NodeReplacementTest {
    private static final NodeAddress SELF = new NodeAddress("a", 1);
    private static final NodeAddress B = new NodeAddress("b", 1);
    private static final NodeAddress C = new NodeAddress("c", 1);
    private static final Duration GRACE = Duration.ofDays(10);
    private static final Duration SHORT = Duration.ofMinutes(1);

    @TempDir private Path data;

    @Test
    void rebuilding_afterAShortAbsence_goesOn() throws IOException {
        storeState(NodePhase.REBUILDING, GRACE.minus(SHORT));
        storeData();

        assertThat(opened().of(B).isReceived()).isTrue();
        assertThat(files()).contains(ManifestFile.NAME);
    }

    /** What it has received may have been deleted meanwhile, and the tombstones dropped. */
    @Test
    void rebuilding_afterALongAbsence_beginsAgainWithoutTheOldData() throws IOException {
        storeState(NodePhase.REBUILDING, GRACE.plus(SHORT));
        storeData();

        NodeState state = opened();
        assertThat(state.phase()).isEqualTo(NodePhase.REBUILDING);
        assertThat(state.of(B).isReceived()).isFalse();
        assertThat(state.keptName()).isEmpty();
        assertThat(state.contact().anyMillis()).isGreaterThan(millisBefore(SHORT));
        assertThat(files()).doesNotContain(ManifestFile.NAME);
        assertThat(files()).anyMatch(name -> name.startsWith("kept-"));
    }

    @Test
    void rebuilding_withoutData_beginsAgain() throws IOException {
        storeState(NodePhase.REBUILDING, SHORT);

        NodeState state = opened();
        assertThat(state.phase()).isEqualTo(NodePhase.REBUILDING);
        assertThat(state.of(B).isReceived()).isFalse();
    }

    /** It has missed nothing. */
    @Test
    void onlyNode_whoseContactBecomesOlderThanTheGrace_staysAVoter() throws Exception {
        storeState(NodePhase.READY, GRACE.minusSeconds(1));
        storeData();
        long over = millisBefore(GRACE) + 1000;

        try (NodeReplacement replacement = open(Topology.single(SELF))) {
            while (millisBefore(GRACE) <= over) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThatCode(replacement::vote).doesNotThrowAnyException();
        }
    }

    /** Stores the state of a node that has received all entries of B, and not those of C. */
    private void storeState(NodePhase phase, Duration sinceContact) throws IOException {
        try (LocalDirectory directory =
                LocalDirectory.open(data.resolve(NodeReplacement.DIRECTORY))) {
            NodeStateFile.store(
                    directory,
                    new NodeState(
                            UUID.randomUUID(),
                            phase,
                            LastContact.at(millisBefore(sinceContact)),
                            "",
                            Map.of(
                                    B,
                                    new NodeState.Other(UUID.randomUUID(), true),
                                    C,
                                    NodeState.Other.UNKNOWN)));
        }
    }

    private static long millisBefore(Duration time) {
        return InstantSource.system().instant().minus(time).toEpochMilli();
    }

    private void storeData() throws IOException {
        Files.createFile(data.resolve(ManifestFile.NAME));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(data)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** The stored state after the node was opened and closed. */
    private NodeState opened() throws IOException {
        open(new Topology(List.of(SELF, B, C), 0)).close();
        try (LocalDirectory directory =
                LocalDirectory.open(data.resolve(NodeReplacement.DIRECTORY))) {
            return NodeStateFile.load(directory).orElseThrow();
        }
    }

    private NodeReplacement open(Topology topology) throws IOException {
        return NodeReplacement.open(
                topology,
                new Credentials(SELF, Fingerprint.of(topology, ""), Optional.empty()),
                new PeerOptions(1, 1, SHORT, SHORT, 1, SHORT, SHORT),
                data,
                new RebuildOptions(true, false, 1024, GRACE),
                new RepairOptions(false, 1, Duration.ZERO, 0, data, GRACE, Duration.ZERO));
    }
}
