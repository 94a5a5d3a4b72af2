package dht.storage.simulation;

/** How much a power failure takes of the data that was not synced. */
public enum Loss {
    /** The system had written everything back just in time. */
    NOTHING,
    /** Whatever was not synced. */
    ALL,
    /** Some sectors and some names, at random. */
    SECTORS
}
