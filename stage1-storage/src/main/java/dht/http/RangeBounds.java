package dht.http;

/**
 * The keys that a range request asks for. Immutable.
 *
 * @param start the first key
 * @param end the key to stop before
 */
public record RangeBounds(byte[] start, byte[] end) {
    /**
     * This key is after all keys of clients, because UTF-8 has no byte 0xFF. Later stages store
     * their own entries after it.
     */
    private static final byte[] PAST_CLIENT_KEYS = {(byte) 0xFF};

    /**
     * Reads the parameters {@code start} and {@code end}.
     *
     * @throws RequestException with one line that says what is wrong
     */
    public static RangeBounds of(HttpRequest http) throws RequestException {
        byte[] start = EntityHandler.key("start", http);
        byte[] end = EntityHandler.optionalKey("end", http);
        return new RangeBounds(start, end == null ? PAST_CLIENT_KEYS : end);
    }
}
