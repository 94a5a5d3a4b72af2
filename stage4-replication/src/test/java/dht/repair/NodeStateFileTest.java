package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.cluster.NodeAddress;
import dht.storage.CorruptionException;
import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeStateFileTest {
    private static final NodeState STATE =
            new NodeState(
                    UUID.fromString("0f0e6d2c-3a54-4bb5-9b65-3a4f1c6c8d11"),
                    NodePhase.REBUILDING,
                    LastContact.at(1764054000000L),
                    "kept-20261125T070000Z",
                    Map.of(
                            new NodeAddress("127.0.0.1", 8081),
                            new NodeState.Other(
                                    UUID.fromString("7c1b6d2c-3a54-4bb5-9b65-3a4f1c6c8d11"), true),
                            new NodeAddress("127.0.0.1", 8082),
                            NodeState.Other.UNKNOWN));

    @TempDir Path path;
    private FillingDirectory directory;

    @BeforeEach
    void open() throws IOException {
        directory = new FillingDirectory(LocalDirectory.open(path));
    }

    @AfterEach
    void close() {
        directory.close();
    }

    /** Persistent format. */
    @Test
    void file_isText() throws IOException {
        NodeStateFile.store(directory, STATE);
        assertThat(Files.readString(file()))
                .isEqualTo(
                        """
                        dht-node 1
                        identity 0f0e6d2c-3a54-4bb5-9b65-3a4f1c6c8d11
                        phase rebuilding
                        contact 1764054000000
                        kept kept-20261125T070000Z
                        node http://127.0.0.1:8081 7c1b6d2c-3a54-4bb5-9b65-3a4f1c6c8d11 received
                        node http://127.0.0.1:8082 - -
                        crc32c 5f34a85f
                        """);
        assertThat(NodeStateFile.load(directory)).contains(STATE);
    }

    @Test
    void file_ofANodeThatHadContactWithAFew_hasBothTimes() throws IOException {
        NodeState state = STATE.with(new LastContact(1764054000000L, 1764053000000L));
        NodeStateFile.store(directory, state);
        assertThat(Files.readString(file()))
                .contains("\ncontact 1764054000000\ncontact-half 1764053000000\n");
        assertThat(NodeStateFile.load(directory)).contains(state);
    }

    @Test
    void load_withoutAFile_findsNothing() throws IOException {
        assertThat(NodeStateFile.load(directory)).isEmpty();
    }

    @Test
    void load_withAByteChangedOrCutOff_saysWhatToDo() throws IOException {
        NodeStateFile.store(directory, STATE);
        byte[] whole = Files.readAllBytes(file());
        for (int i = 0; i < whole.length; i += 3) {
            byte[] changed = whole.clone();
            changed[i] ^= 1;
            expectDamaged(changed);
            expectDamaged(Arrays.copyOf(whole, i));
        }
    }

    private void expectDamaged(byte[] bytes) throws IOException {
        Files.write(file(), bytes);
        assertThatThrownBy(() -> NodeStateFile.load(directory))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining(NodeStateFile.NAME)
                .hasMessageContaining("empty --data directory");
    }

    @Test
    void replace_onAFullDisk_leavesTheStateAndTheFile() throws IOException {
        StoredState stored = new StoredState(directory, STATE);
        directory.full(true);

        assertThatThrownBy(() -> stored.update(state -> state.with(NodePhase.READY)))
                .hasMessageContaining("No space left");
        assertThat(stored.get()).isEqualTo(STATE);
        assertThat(NodeStateFile.load(directory)).contains(STATE);

        directory.full(false);
        stored.update(state -> state.with(NodePhase.READY));
        assertThat(NodeStateFile.load(directory)).contains(stored.get());
    }

    private Path file() {
        return path.resolve(NodeStateFile.NAME);
    }
}
