package dht.http;

/** Which paths a port serves. */
enum ServedPaths {
    ALL,
    /** Those that {@link Router#guard} names. */
    GUARDED,
    /** All but those. */
    OTHERS;

    boolean include(boolean isGuardedPath) {
        return this == ALL || isGuardedPath == (this == GUARDED);
    }
}
