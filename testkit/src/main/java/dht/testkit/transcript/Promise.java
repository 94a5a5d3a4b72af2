package dht.testkit.transcript;

/**
 * A promise of a server: one sentence, and the page that explains it. A failed check names the
 * promise that was broken.
 *
 * <p>The names and the anchors must not change, because pages link to them. Immutable.
 */
public enum Promise {
    STATUS_ANSWERS("http.md#status", "GET /v0/status answers 200."),
    STATUS_IS_NEVER_QUEUED(
            "http.md#status",
            "GET /v0/status never waits behind requests for entities, even if their clients are slow."),

    WRITTEN_IS_READ(
            "http.md#entity",
            "PUT answers 201. After that, GET answers 200 with exactly the bytes of the last PUT."),
    ABSENT_IS_404(
            "http.md#entity", "GET of a key that was never written, or was deleted, answers 404."),
    DELETE_IS_202(
            "http.md#entity",
            "DELETE answers 202, also if there is no such key; after it, GET answers 404."),
    WRITES_ARE_WHOLE(
            "http.md#entity",
            "Of concurrent writes, one wins as a whole; a reader never sees a mixture or an older value."),

    VALUES_ARE_ANY_BYTES(
            "http.md#values",
            "A value is 0 bytes to 16 MiB of any bytes; an empty value is answered 200, not 404."),
    TOO_LARGE_IS_413(
            "http.md#values",
            "A value over 16 MiB is answered 413; the connection is closed, and nothing is stored."),

    KEYS_ARE_DECODED_BYTES(
            "http.md#keys",
            "A key is the percent-decoded UTF-8 bytes of its parameter, decoded once; '+' stays '+'."),
    KEYS_ARE_1_TO_1024_BYTES(
            "http.md#keys",
            "A key has 1 to 1024 bytes after decoding; a longer one is answered 400."),
    BAD_KEYS_ARE_400(
            "http.md#keys",
            "A missing or empty key, malformed percent-encoding and malformed UTF-8 are answered 400."),

    UNKNOWN_PATH_IS_400("http.md#faults", "An unknown path is answered 400."),
    OTHER_METHOD_IS_405(
            "http.md#faults", "Another method on a known path is answered 405 with Allow."),
    ERRORS_ARE_ONE_LINE(
            "http.md#faults",
            "The body of an error is one line of plain text that says what was wrong."),

    OVERLOAD_IS_503(
            "http.md#overload",
            "Under overload, each request succeeds or gets 503 with Retry-After; no connection breaks."),
    WAITING_IS_BOUNDED(
            "http.md#overload",
            "The number of waiting requests is limited; further requests are refused."),
    OVERLOAD_ENDS(
            "http.md#overload", "When an overload ends, all requests are served again at once."),

    ONE_RESPONSE_EACH(
            "http.md#connections",
            "Every request gets exactly one response, in the order of the requests."),
    BAD_REQUESTS_KEEP_THE_CONNECTION(
            "http.md#connections",
            "After a bad request whose end is known, the server keeps the connection open."),
    OUT_OF_STEP_IS_CLOSED(
            "http.md#connections",
            "After a request whose end is not known, the server answers and closes the connection."),
    MESSAGES_ARE_FRAMED(
            "http.md#connections",
            "Only the headers decide where a request ends, not how its bytes arrive."),
    TARGETS_MAY_NAME_A_HOST(
            "http.md#connections",
            "A target may contain scheme and host before its path; they have no effect."),
    CLIENTS_ARE_APART(
            "http.md#connections",
            "A client that is slow or silent, has gone, or sends garbage does not harm other clients."),
    EXPECT_IS_HONOURED(
            "http.md#expect-100-continue",
            "With Expect: 100-continue, the server sends 100 before the body, or refuses the request at once."),

    RANGE_IS_ORDERED(
            "http.md#range",
            "A range has each live entry once, in the order of the keys' unsigned bytes."),
    RANGE_IS_HALF_OPEN(
            "http.md#range",
            "A range goes from start (inclusive) to end (exclusive, or open); an empty range is 200 without bytes."),
    RANGE_IS_CHUNKED(
            "http.md#range",
            "A range is one chunk 'key\\nvalue' per entry, then one terminating chunk; the connection stays usable."),
    RANGE_HAS_LENGTHS(
            "http.md#range-lengths",
            "With Accept: application/vnd.dht.entries, a range contains the lengths of keys and values; otherwise it is text."),
    RANGE_IS_CONSISTENT(
            "http.md#range",
            "A range shows the entries of one moment; writes during the range do not change it."),
    RANGE_IS_STREAMED(
            "http.md#range",
            "A range is sent as fast as the client reads: any size in limited memory, and other clients do not wait."),

    REPLICAS_ARE_CHECKED(
            "http.md#replicas",
            "The parameters replicas, ack and from must have 1 <= ack <= from <= nodes; anything else is answered 400."),
    COPIES_ARE_EXACT(
            "http.md#replicas",
            "A key has exactly from copies, on the first nodes of its preference list, through any node."),
    READS_MEET_WRITES(
            "http.md#quorum",
            "With ack + ack > from, a read sees every write that was acknowledged before it began, through any node."),
    READS_IS_CHECKED(
            "http.md#atomic-reads",
            "The parameter reads must be regular or atomic; anything else is answered 400."),
    ATOMIC_NEVER_GOES_BACK(
            "http.md#atomic-reads",
            "After an atomic read has returned a version, no later atomic read returns an older one."),
    DELETED_STAYS_DELETED(
            "http.md#quorum", "An acknowledged deletion is not undone by a node that missed it."),
    ONE_FAULT_IS_SURVIVED(
            "http.md#quorum",
            "After any fault of one node of three, the others serve with a quorum, and no acknowledged write is lost."),
    READS_REPAIR(
            "http.md#healing",
            "A read writes the newest version, with its stamp, to replicas that answered without it."),
    MISSED_ARRIVES(
            "http.md#healing",
            "A node that was down gets the writes that it missed when it is back, without a client's request."),
    EMPTIED_IS_NO_VOTER(
            "http.md#healing",
            "A node whose data was lost answers no reads until it has its entries again: it counts as failed, not as empty."),
    EMPTIED_IS_REBUILT(
            "http.md#healing",
            "A node whose data was lost gets all entries and deletions back from the others, while they serve clients."),
    CLUSTER_RANGE_IS_COMPLETE(
            "http.md#cluster-range",
            "A range over the cluster has each live entry of all nodes once, in its newest version."),
    CLUSTER_RANGE_IS_NEVER_SHORT(
            "http.md#cluster-range",
            "If too few nodes answer, a range over the cluster is 504, or is broken off visibly: it is never silently short."),
    TOO_FEW_IS_504(
            "http.md#replicas",
            "If fewer than ack nodes can answer, the answer is 504 and names the nodes that failed."),

    RESTART_KEEPS_DATA(
            "command-line.md#data-directory",
            "A server serves exactly what is stored in its data directory."),
    DIRECTORY_HAS_ONE_SERVER(
            "command-line.md#data-directory",
            "A second server on the same data directory is refused with a clear error."),
    STOP_IS_ORDERLY(
            "command-line.md#stopping",
            "A stop finishes the requests in progress and ends within 10 s; after SIGTERM, the exit code is 0."),
    STOP_IS_FINAL(
            "command-line.md#stopping",
            "After a stop nothing answers and nothing still runs; a second stop has no effect."),
    ACKNOWLEDGED_SURVIVES(
            "command-line.md#durability",
            "An acknowledged write survives kill -9; any other write is there completely or not at all."),

    ANY_NODE_ANSWERS("http.md#cluster", "All nodes of a cluster give the same answer."),
    ONE_OWNER(
            "http.md#cluster",
            "Only one node has a key, its owner; /v0/entities shows the entries of the node that is asked."),
    KEYS_ARE_SPREAD("http.md#cluster", "Every node owns about the same share of the keys."),
    INTERNAL_IS_LOCAL(
            "http.md#internal",
            "Under /internal/v0/, a node answers from its own storage and asks no other node."),
    LISTS_MUST_AGREE(
            "http.md#internal",
            "Nodes with different lists of the cluster refuse each other, and the answer names them."),
    DEAD_OWNER_IS_502(
            "http.md#unreachable",
            "While the owner of a key is down, requests for the key are answered 502; all others are served."),
    SILENT_OWNER_IS_504(
            "http.md#unreachable",
            "While the owner of a key is silent, requests for the key are answered 504; all others are served."),
    OWNER_BACK_IS_ASKED(
            "http.md#unreachable",
            "When an owner is back, its keys are served again, without a restart of other nodes.");

    private static final String ROOM = "docs/reference/";

    private final String page;
    private final String text;

    Promise(String page, String text) {
        this.page = ROOM + page;
        this.text = text;
    }

    /** The page that explains the promise: a file of the repository, and an anchor in it. */
    public String page() {
        return page;
    }

    public String text() {
        return text;
    }
}
