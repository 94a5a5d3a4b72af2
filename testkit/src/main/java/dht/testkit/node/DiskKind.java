package dht.testkit.node;

import java.util.Optional;

/** The kind of disk that holds the data of a node. */
public enum DiskKind {
    /** The disk of the tests' temporary files. */
    SHARED,
    /** A small disk for the node alone, which can be filled. */
    SMALL;

    /** Why this kind cannot be used here; empty if it can. */
    public Optional<String> whyNot() {
        return this == SMALL ? SmallDisk.whyNot() : Optional.empty();
    }
}
