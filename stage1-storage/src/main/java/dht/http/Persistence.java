package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** What happens to a connection after an answer, and the header that announces it. */
enum Persistence {
    /** The connection stays open, which is the default in HTTP/1.1. */
    IMPLIED(""),
    /** The connection stays open, because an HTTP/1.0 client has asked for it. */
    KEEP_ALIVE("Connection: keep-alive\r\n"),
    /** The connection is closed. */
    CLOSE("Connection: close\r\n");

    private final byte[] header;

    Persistence(String header) {
        this.header = header.getBytes(ISO_8859_1);
    }

    byte[] header() {
        return header;
    }
}
