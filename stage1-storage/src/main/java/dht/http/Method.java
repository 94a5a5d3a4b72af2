package dht.http;

/** The methods that mean something here; every other one is {@link #OTHER}. */
public enum Method {
    GET,
    PUT,
    DELETE,
    HEAD,
    OTHER
}
