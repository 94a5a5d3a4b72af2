package dht.http;

/** Which paths a port serves. */
enum ServedPaths {
    ALL,
    /** The paths that {@link Router#guard} guards. */
    GUARDED,
    /** All other paths. */
    OTHERS;

    boolean include(boolean isGuardedPath) {
        return this == ALL || isGuardedPath == (this == GUARDED);
    }
}
