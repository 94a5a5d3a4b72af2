package dht.storage.simulation;

/**
 * One thing that was asked of a directory.
 *
 * @param name of the file; of the directory itself it is empty
 */
public record Operation(Kind kind, String name) {
    public enum Kind {
        LIST,
        CREATE,
        WRITE,
        SYNC_FILE,
        MAP,
        CREATE_MAPPED,
        RESERVE,
        FORCE,
        RENAME,
        DELETE,
        SYNC_NAMES
    }

    public boolean is(Kind wantedKind, String nameSuffix) {
        return kind == wantedKind && name.endsWith(nameSuffix);
    }

    @Override
    public String toString() {
        return name.isEmpty() ? kind.toString() : kind + " " + name;
    }
}
