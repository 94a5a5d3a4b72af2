package dht.testkit.node;

import java.util.Optional;

/** What a node has its data on. */
public enum DiskKind {
    /** The disk of the tests' temporary files. */
    SHARED,
    /** One of its own, which can be filled up. */
    SMALL;

    /** Why there can't be one here, or empty where there can. */
    public Optional<String> whyNot() {
        return this == SMALL ? SmallDisk.whyNot() : Optional.empty();
    }
}
