package dht.http;

/** The HTTP methods that this server knows; every other method is {@link #OTHER}. */
public enum Method {
    GET,
    PUT,
    DELETE,
    HEAD,
    OTHER
}
