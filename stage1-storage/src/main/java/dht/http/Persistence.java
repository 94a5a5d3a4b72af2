package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** What becomes of a connection after an answer, and the header that says so. */
enum Persistence {
    /** It stays open, as HTTP/1.1 does if nobody says otherwise. */
    IMPLIED(""),
    /** It stays open, as an HTTP/1.0 client asked for. */
    KEEP_ALIVE("Connection: keep-alive\r\n"),
    /** It is closed. */
    CLOSE("Connection: close\r\n");

    private final byte[] header;

    Persistence(String header) {
        this.header = header.getBytes(ISO_8859_1);
    }

    byte[] header() {
        return header;
    }
}
