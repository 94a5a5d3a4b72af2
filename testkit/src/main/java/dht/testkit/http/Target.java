package dht.testkit.http;

/** Request targets of the HTTP contract, with percent-encoded keys. Stateless. */
public final class Target {
    public static final String STATUS = "/v0/status";
    public static final String ENTITY = "/v0/entity";
    public static final String ENTITIES = "/v0/entities";
    public static final String METRICS = "/metrics";
    public static final String INTERNAL_ENTITY = "/internal/v0/entity";

    private Target() {}

    public static String entity(String key) {
        return ENTITY + "?id=" + Percent.encode(key);
    }

    /**
     * The target of a key, with more parameters.
     *
     * @param parameters such as {@code replicas=2/3}
     */
    public static String entity(String key, String parameters) {
        return entity(key) + "&" + parameters;
    }

    /** The target that nodes use among each other. */
    public static String internalEntity(String key) {
        return INTERNAL_ENTITY + "?id=" + Percent.encode(key);
    }

    /** The target of a range without an end. */
    public static String entities(String start) {
        return ENTITIES + "?start=" + Percent.encode(start);
    }

    public static String entities(String start, String end) {
        return entities(start) + "&end=" + Percent.encode(end);
    }
}
