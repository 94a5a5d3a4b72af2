package dht.http;

import java.util.Arrays;

/**
 * Parses the bytes that a connection receives into requests, one at a time. A request may arrive in
 * any number of pieces. While bytes arrive, the parser takes memory from the budget: for the head,
 * and for the body as long as the budget allows.
 *
 * <p>Invariant: {@code takenBytes} is what the parser has taken from the connection's memory. It
 * covers {@code partialHead}, the request's head and {@code body}. {@link #release} gives it back,
 * even after an exception.
 *
 * <p>Used by one thread at a time.
 */
final class RequestParser {
    private static final byte[] NONE = {};
    private static final Response NO_MEMORY =
            Response.unavailable("too many connections hold unfinished requests or unread answers");

    private enum State {
        HEAD,
        BODY,
        CHUNKED_BODY,
        DONE
    }

    private final HttpOptions options;
    private final ConnectionMemory memory;

    private State state = State.HEAD;
    private byte[] partialHead = NONE;
    private int partialHeadLength;
    private int scanned;

    private HttpRequest request;
    private boolean continueWanted;
    private ChunkDecoder chunks;
    private byte[] body; // Null while a body is discarded.
    private long bodyBytes;
    private long bodyReceived;
    private long takenBytes;
    private boolean overBudget;

    RequestParser(HttpOptions options, ConnectionMemory memory) {
        this.options = options;
        this.memory = memory;
    }

    /**
     * Parses bytes up to the end of the request.
     *
     * @return the index after the last parsed byte; less than {@code to} only if the request
     *     {@linkplain #isDone() is done}
     * @throws RequestException if the request is malformed, if it is too large or has too many
     *     header lines, if the length of its body is unclear, or if there is no memory for its
     *     head: the connection must be closed
     */
    int feed(byte[] bytes, int from, int to) throws RequestException {
        int at = from;
        while (at < to && state != State.DONE) {
            at =
                    switch (state) {
                        case HEAD -> feedHead(bytes, at, to);
                        case BODY -> feedBody(bytes, at, to);
                        case CHUNKED_BODY -> feedChunks(bytes, at, to);
                        case DONE ->
                                throw new IllegalStateException(
                                        "a request is complete and was not released");
                    };
        }
        return at;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    /** Whether no byte of the next request has arrived yet. */
    boolean isBetweenRequests() {
        return state == State.HEAD && partialHeadLength == 0;
    }

    /** Whether the head of a request is still incomplete. */
    boolean isInHead() {
        return state == State.HEAD && partialHeadLength > 0;
    }

    /** Whether the body of a request is still incomplete. */
    boolean isInBody() {
        return state == State.BODY || state == State.CHUNKED_BODY;
    }

    /** Whether the client waits for a 100 before it sends the body. Returns true once. */
    boolean takeContinueWanted() {
        boolean wanted = continueWanted;
        continueWanted = false;
        return wanted;
    }

    /** Whether the body was received and discarded, because there was no memory for it. */
    boolean isOverBudget() {
        return overBudget;
    }

    /** The request that is done. Its memory counts as taken until {@link #release}. */
    HttpRequest request() {
        return request;
    }

    /** Releases the complete or incomplete request, and prepares for the next one. */
    void release() {
        giveBack(takenBytes);
        overBudget = false;
        partialHead = NONE;
        partialHeadLength = 0;
        scanned = 0;
        request = null;
        body = null;
        chunks = null;
        state = State.HEAD;
    }

    private boolean tryTake(long bytes) {
        if (!memory.tryTake(bytes)) {
            return false;
        }
        takenBytes += bytes;
        return true;
    }

    private void giveBack(long bytes) {
        takenBytes -= bytes;
        memory.giveBack(bytes);
    }

    /** Takes memory for a head. Without it, the request can't be served. */
    private void takeForHead(long bytes) throws RequestException {
        if (!tryTake(bytes)) {
            throw new RequestException(NO_MEMORY);
        }
    }

    private int feedHead(byte[] bytes, int from, int to) throws RequestException {
        int start = from;
        while (partialHeadLength == 0
                && start < to
                && (bytes[start] == '\r' || bytes[start] == '\n')) {
            start++; // Empty lines before a request are allowed.
        }
        if (start == to) {
            return to;
        }
        if (partialHeadLength == 0) {
            int end = endOfHead(bytes, start, start, to);
            if (end >= 0) {
                checkHeadSize(bytes, start, end);
                takeForHead(end - start);
                begin(Arrays.copyOfRange(bytes, start, end));
                return end;
            }
        }
        return feedPartialHead(bytes, start, to);
    }

    private int feedPartialHead(byte[] bytes, int from, int to) throws RequestException {
        int room = options.headBytesMax() + 1 - partialHeadLength;
        int length = Math.min(to - from, room);
        ensurePartialHead(partialHeadLength + length);
        System.arraycopy(bytes, from, partialHead, partialHeadLength, length);
        int received = partialHeadLength + length;
        int end = endOfHead(partialHead, 0, scanned, received);
        if (end < 0) {
            checkHeadSize(partialHead, 0, received);
            scanned = Math.max(0, received - 2);
            partialHeadLength = received;
            return from + length;
        }
        checkHeadSize(partialHead, 0, end);
        int used = end - partialHeadLength;
        // The copy is exactly as long as the memory that stays taken.
        byte[] head = Arrays.copyOf(partialHead, end);
        giveBack(partialHead.length - end);
        partialHead = NONE;
        partialHeadLength = 0;
        scanned = 0;
        begin(head);
        return from + used;
    }

    private void ensurePartialHead(int bytes) throws RequestException {
        if (bytes > partialHead.length) {
            int larger = Math.max(bytes, Math.min(2 * bytes, options.headBytesMax() + 1));
            takeForHead(larger - partialHead.length);
            partialHead = Arrays.copyOf(partialHead, larger);
        }
    }

    /**
     * The index after the empty line that ends the head, or -1 if it has not arrived yet. The
     * search begins at {@code scanFrom}.
     */
    private static int endOfHead(byte[] bytes, int start, int scanFrom, int to) {
        for (int i = scanFrom; i < to; i++) {
            if (bytes[i] == '\n') {
                int next = i + 1 < to && bytes[i + 1] == '\r' ? i + 2 : i + 1;
                if (next < to && bytes[next] == '\n') {
                    return next + 1;
                }
            }
        }
        return -1;
    }

    private void checkHeadSize(byte[] bytes, int start, int end) throws RequestException {
        if (end - start <= options.headBytesMax()) {
            return;
        }
        String limit = " is larger than " + options.headBytesMax() + " bytes";
        for (int i = start; i < start + options.headBytesMax(); i++) {
            if (bytes[i] == '\n') {
                throw new RequestException(
                        Response.of(Status.HEADERS_TOO_LARGE, "request head" + limit));
            }
        }
        throw RequestException.badRequest("request line" + limit);
    }

    private void begin(byte[] head) throws RequestException {
        HeadParser parser = new HeadParser(head, options);
        request = parser.parse();
        bodyBytes = parser.bodyBytes();
        bodyReceived = 0;
        if (bodyBytes > options.bodyBytesMax()) {
            throw tooLarge();
        }
        if (bodyBytes == 0) {
            state = State.DONE;
            return;
        }
        continueWanted = parser.expectsContinue();
        body = request.method() == Method.PUT ? NONE : null;
        if (bodyBytes == HeadParser.CHUNKED) {
            chunks = new ChunkDecoder();
            state = State.CHUNKED_BODY;
        } else {
            state = State.BODY;
        }
    }

    private RequestException tooLarge() {
        return new RequestException(
                Response.of(
                        Status.CONTENT_TOO_LARGE,
                        "body is larger than " + options.bodyBytesMax() + " bytes"));
    }

    private int feedBody(byte[] bytes, int from, int to) throws RequestException {
        int length = (int) Math.min(to - from, bodyBytes - bodyReceived);
        append(bytes, from, length);
        if (bodyReceived == bodyBytes) {
            finish();
        }
        return from + length;
    }

    private int feedChunks(byte[] bytes, int from, int to) throws RequestException {
        int at = from;
        while (at < to && !chunks.isDone()) {
            at = chunks.feed(bytes, at, to);
            int length = chunks.dataLength();
            if (length > 0) {
                append(bytes, chunks.dataStart(), length);
            }
        }
        if (chunks.isDone()) {
            bodyBytes = bodyReceived;
            finish();
        }
        return at;
    }

    private void append(byte[] bytes, int start, int length) throws RequestException {
        if (bodyReceived + length > options.bodyBytesMax()) {
            throw tooLarge();
        }
        int received = (int) bodyReceived;
        if (body != null && received + length > body.length) {
            growBody(received + length);
        }
        if (body != null) {
            System.arraycopy(bytes, start, body, received, length);
        }
        bodyReceived += length;
    }

    /**
     * Makes room for more of the body. If there is no memory, discards the body, so that other
     * requests can use its memory.
     */
    private void growBody(int bytes) {
        int bytesMax = state == State.CHUNKED_BODY ? options.bodyBytesMax() : (int) bodyBytes;
        int larger = Math.min(bytesMax, Math.max(bytes, 2 * body.length));
        if (tryTake(larger - body.length)) {
            body = Arrays.copyOf(body, larger);
        } else {
            giveBack(body.length);
            body = null;
            overBudget = true;
        }
    }

    private void finish() {
        continueWanted = false;
        if (body != null) {
            request.body(OwnedBytes.takeOver(body).slice(0, bodyBytes));
        }
        state = State.DONE;
    }
}
