package dht.peer;

import java.security.Security;

/**
 * Configures the JVM's cache of host names. By default, the JVM remembers the address of a name for
 * 30 s. If a name has no address, the JVM remembers this for 10 s. A node may get a new address,
 * for example when its container is replaced. Other nodes could then not reach it during this time.
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
