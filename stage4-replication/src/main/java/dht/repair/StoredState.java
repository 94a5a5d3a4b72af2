package dht.repair;

import dht.storage.file.StorageDirectory;
import java.io.IOException;
import java.util.function.UnaryOperator;

/**
 * A {@link NodeState} together with its file. A state is visible here only after it was stored in
 * the file.
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
     * Changes the state durably.
     *
     * @throws IOException if it cannot be stored; then the state is unchanged
     */
    synchronized void update(UnaryOperator<NodeState> change) throws IOException {
        NodeState next = change.apply(state);
        NodeStateFile.store(directory, next);
        state = next;
    }
}
