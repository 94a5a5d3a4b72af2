package dht.repair;

import dht.storage.file.StorageDirectory;
import java.io.IOException;
import java.util.function.UnaryOperator;

/**
 * A {@link NodeState} and its file. The state is always one that the file has contained.
 *
 * <p>Thread-safe. Reading the state never waits for the disk.
 */
final class StoredState {
    private final StorageDirectory directory;

    /** Written while this is locked. */
    private volatile NodeState state;

    /**
     * Stores the state.
     *
     * @throws IOException if it cannot be stored
     */
    StoredState(StorageDirectory directory, NodeState state) throws IOException {
        this.directory = directory;
        this.state = state;
        NodeStateFile.store(directory, state);
    }

    NodeState get() {
        return state;
    }

    /**
     * Changes the state, durably.
     *
     * @throws IOException if it cannot be stored; then this is as it was
     */
    synchronized void update(UnaryOperator<NodeState> change) throws IOException {
        NodeState next = change.apply(state);
        NodeStateFile.store(directory, next);
        state = next;
    }
}
