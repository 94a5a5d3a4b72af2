package dht.peer;

import java.security.Security;

/**
 * The JVM's cache of host names. By default it keeps an address for 30 s, and the fact that a name
 * has no address for 10 s. For so long, a node could not reach a node that has moved to a new
 * address, as a replaced container does.
 *
 * <p>Stateless and thread-safe.
 */
public final class NameCache {
    /** The limit of lookups: one per second for each name. */
    private static final String SECONDS = "1";

    private NameCache() {}

    /** Has no effect after the first lookup of this JVM. */
    public static void keepBriefly() {
        Security.setProperty("networkaddress.cache.ttl", SECONDS);
        Security.setProperty("networkaddress.cache.negative.ttl", SECONDS);
    }
}
