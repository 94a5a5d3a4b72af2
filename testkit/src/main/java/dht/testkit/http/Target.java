package dht.testkit.http;

/** Request targets of the contract, with keys percent-encoded. */
public final class Target {
    public static final String STATUS = "/v0/status";
    public static final String ENTITY = "/v0/entity";
    public static final String ENTITIES = "/v0/entities";
    public static final String INTERNAL_ENTITY = "/internal/v0/entity";

    private Target() {}

    public static String entity(String key) {
        return ENTITY + "?id=" + Percent.encode(key);
    }

    /**
     * With parameters behind the key.
     *
     * @param parameters such as {@code replicas=2/3}
     */
    public static String entity(String key, String parameters) {
        return entity(key) + "&" + parameters;
    }

    /** Where a node asks another. */
    public static String internalEntity(String key) {
        return INTERNAL_ENTITY + "?id=" + Percent.encode(key);
    }

    /** An open range. */
    public static String entities(String start) {
        return ENTITIES + "?start=" + Percent.encode(start);
    }

    public static String entities(String start, String end) {
        return entities(start) + "&end=" + Percent.encode(end);
    }
}
