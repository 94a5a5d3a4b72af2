package dht.http;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Cuts what a connection receives into requests, one at a time, however it is split. Takes no more
 * memory than the request it is at: a partial head, and a body as far as the budget allows.
 *
 * <p>Used by one thread at a time.
 */
final class RequestParser {
    private static final byte[] NONE = {};

    private enum State {
        HEAD,
        BODY,
        CHUNKED_BODY,
        DONE
    }

    private final HttpOptions options;
    private final MemoryBudget budget;

    private State state = State.HEAD;
    private byte[] partialHead = NONE;
    private int partialHeadLength;
    private int scanned;

    private HttpRequest request;
    private boolean continueWanted;
    private ChunkDecoder chunks;
    private byte[] body; // Null while a body is thrown away.
    private long bodyBytes;
    private long bodyReceived;
    private long takenBytes;
    private boolean overBudget;

    RequestParser(HttpOptions options, MemoryBudget budget) {
        this.options = options;
        this.budget = budget;
    }

    /**
     * Takes bytes up to the end of the request.
     *
     * @return how far it went; before {@code to} only if the request {@linkplain #isDone() is done}
     * @throws RequestException if it is unclear where the request ends, or it is too large: the
     *     connection must be closed
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
                                        "a request is done and was not taken");
                    };
        }
        return at;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    /** Whether not a single byte of the next request has come. */
    boolean isBetweenRequests() {
        return state == State.HEAD && partialHeadLength == 0;
    }

    /** Whether the head of a request is still incomplete. */
    boolean isInHead() {
        return state == State.HEAD && partialHeadLength > 0;
    }

    /** Whether the client waits for a 100 before it sends the body; says so once. */
    boolean takeContinueWanted() {
        boolean wanted = continueWanted;
        continueWanted = false;
        return wanted;
    }

    /** Whether there was no memory for the body: it was received, and thrown away. */
    boolean isOverBudget() {
        return overBudget;
    }

    /** The request that is done. Its memory counts as taken until {@link #release}. */
    HttpRequest request() {
        return request;
    }

    /** Lets go of the request, and goes on to the next. */
    void release() {
        budget.giveBack(takenBytes);
        takenBytes = 0;
        overBudget = false;
        request = null;
        body = null;
        chunks = null;
        state = State.HEAD;
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
        byte[] head = Arrays.copyOf(partialHead, end);
        partialHead = NONE;
        partialHeadLength = 0;
        scanned = 0;
        begin(head);
        return from + used;
    }

    private void ensurePartialHead(int bytes) {
        if (bytes > partialHead.length) {
            partialHead =
                    Arrays.copyOf(
                            partialHead,
                            Math.max(bytes, Math.min(2 * bytes, options.headBytesMax() + 1)));
        }
    }

    /**
     * Where the empty line after the head ends, or -1 if it has not come yet. Looks from {@code
     * scanFrom} on.
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
        boolean keepsBody = request.method() == Method.PUT;
        if (bodyBytes == HeadParser.CHUNKED) {
            chunks = new ChunkDecoder();
            body = keepsBody ? NONE : null;
            state = State.CHUNKED_BODY;
        } else {
            body = keepsBody && takeMemory(bodyBytes) ? new byte[(int) bodyBytes] : null;
            state = State.BODY;
        }
    }

    private RequestException tooLarge() {
        return new RequestException(
                Response.of(
                        Status.CONTENT_TOO_LARGE,
                        "body is larger than " + options.bodyBytesMax() + " bytes"));
    }

    private boolean takeMemory(long bytes) {
        if (!budget.tryTake(bytes)) {
            overBudget = true;
            return false;
        }
        takenBytes += bytes;
        return true;
    }

    private int feedBody(byte[] bytes, int from, int to) {
        int length = (int) Math.min(to - from, bodyBytes - bodyReceived);
        if (body != null) {
            System.arraycopy(bytes, from, body, (int) bodyReceived, length);
        }
        bodyReceived += length;
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
            int larger =
                    Math.min(options.bodyBytesMax(), Math.max(received + length, 2 * body.length));
            body = takeMemory(larger - body.length) ? Arrays.copyOf(body, larger) : null;
        }
        if (body != null) {
            System.arraycopy(bytes, start, body, received, length);
        }
        bodyReceived += length;
    }

    private void finish() {
        continueWanted = false;
        if (body != null) {
            request.body(MemorySegment.ofArray(body).asSlice(0, bodyBytes));
        }
        state = State.DONE;
    }
}
