package dht.peer;

import java.security.Security;

/**
 * Configures the JVM's cache of host names. By default, the JVM remembers an address for 30 s, and
 * for 10 s that a name has no address. When a node gets a new address, as a replaced container
 * does, other nodes could not reach it during this time.
 *
 * <p>Stateless and thread-safe.
 */
public final class NameCache {
    /** How long the cache keeps an entry. So each name is looked up at most once per second. */
    private static final String SECONDS = "1";

    private NameCache() {}

    /**
     * Makes the cache keep entries for only a second. Must be called before the JVM's first lookup;
     * later it has no effect.
     */
    public static void keepBriefly() {
        Security.setProperty("networkaddress.cache.ttl", SECONDS);
        Security.setProperty("networkaddress.cache.negative.ttl", SECONDS);
    }
}
