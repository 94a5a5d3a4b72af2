package dht.testkit.transcript;

/**
 * What a server promises, in plain words, and the page that tells more. A failed check names the
 * promise it broke.
 *
 * <p>Names and anchors are stable: pages link to them, and they link to pages.
 */
public enum Promise {
    STATUS_ANSWERS("http.md#status", "GET /v0/status answers 200."),
    STATUS_IS_NEVER_QUEUED(
            "http.md#status",
            "GET /v0/status is never queued behind work on entities, however slow its clients."),

    WRITTEN_IS_READ(
            "http.md#entity",
            "PUT answers 201, and from then on GET answers 200 with exactly the bytes of the last PUT."),
    ABSENT_IS_404(
            "http.md#entity", "GET of a key that was never written, or was deleted, answers 404."),
    DELETE_IS_202(
            "http.md#entity",
            "DELETE answers 202 whether or not the key was there, and the key is gone."),
    WRITES_ARE_WHOLE(
            "http.md#entity",
            "Among concurrent writers one write wins entire; a reader never sees a mixture or an older value."),

    VALUES_ARE_ANY_BYTES(
            "http.md#values",
            "A value is any bytes, 0 to 16 MiB; an empty value is a value, not a 404."),
    TOO_LARGE_IS_413(
            "http.md#values",
            "A value over 16 MiB is answered 413, the connection is closed, nothing is stored."),

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
            "An error's body is one line of plain text that says what was wrong."),

    OVERLOAD_IS_503(
            "http.md#overload",
            "Under overload a request that is taken succeeds, any other gets 503 with Retry-After; no connection breaks."),
    WAITING_IS_BOUNDED(
            "http.md#overload", "Requests that find too many waiting before them are refused."),
    OVERLOAD_ENDS(
            "http.md#overload", "When an overload is over, everybody is served again at once."),

    ONE_RESPONSE_EACH(
            "http.md#connections",
            "Every request gets exactly one response, in the order of the requests."),
    BAD_REQUESTS_KEEP_THE_CONNECTION(
            "http.md#connections",
            "A bad request never closes a keep-alive connection that is still in step."),
    OUT_OF_STEP_IS_CLOSED(
            "http.md#connections",
            "A request that leaves the connection out of step is answered and the connection closed."),
    MESSAGES_ARE_FRAMED(
            "http.md#connections",
            "Where a request ends is told by its headers alone, however its bytes arrive."),
    TARGETS_MAY_NAME_A_HOST(
            "http.md#connections",
            "A target may name scheme and host before its path; they change nothing."),
    CLIENTS_ARE_APART(
            "http.md#connections",
            "A client that is slow, silent, gone or talks garbage harms no other client."),
    EXPECT_IS_HONOURED(
            "http.md#expect-100-continue",
            "Expect: 100-continue is honoured: 100 before the body, or a refusal instead of it."),

    RANGE_IS_ORDERED(
            "http.md#range",
            "A range is each live entry once, in the order of the keys' unsigned bytes."),
    RANGE_IS_HALF_OPEN(
            "http.md#range",
            "A range runs from start (inclusive) to end (exclusive, or open); an empty one is 200 with no bytes."),
    RANGE_IS_CHUNKED(
            "http.md#range",
            "A range is one chunk 'key\\nvalue' an entry, then one terminating chunk; the connection stays usable."),
    RANGE_HAS_LENGTHS(
            "http.md#range-lengths",
            "A range whose Accept names application/vnd.dht.entries tells the lengths of each key and value; any other is text."),
    RANGE_IS_CONSISTENT(
            "http.md#range",
            "A range shows the entries as they were at one moment, whatever is written meanwhile."),
    RANGE_IS_STREAMED(
            "http.md#range",
            "A range is sent as the client takes it: any size in bounded memory, and nobody waits for a slow reader."),

    REPLICAS_ARE_CHECKED(
            "http.md#replicas",
            "Of replicas=ack/from, or ack and from, 1 <= ack <= from <= nodes holds; anything else is answered 400."),
    COPIES_ARE_EXACT(
            "http.md#replicas",
            "A key has exactly from copies, on the first nodes of an order of its own, whichever node is asked."),
    READS_MEET_WRITES(
            "http.md#quorum",
            "With ack + ack > from, a read sees every write acknowledged before it began, through any nodes."),
    READS_IS_CHECKED(
            "http.md#atomic-reads", "reads= is regular or atomic; anything else is answered 400."),
    ATOMIC_NEVER_GOES_BACK(
            "http.md#atomic-reads",
            "Once an atomic read has returned a version, no later one returns an older version."),
    DELETED_STAYS_DELETED(
            "http.md#quorum", "An acknowledged deletion is not undone by a node that missed it."),
    ONE_FAULT_IS_SURVIVED(
            "http.md#quorum",
            "Whatever befalls one node of three, the others serve at quorum, and nothing acknowledged is lost."),
    READS_REPAIR(
            "http.md#healing",
            "A read that meets replicas without the newest version brings it to them, under its own stamp."),
    MISSED_ARRIVES(
            "http.md#healing",
            "What a node missed while it was down reaches it when it is back, without a client's help."),
    EMPTIED_IS_NO_VOTER(
            "http.md#healing",
            "A node whose data was lost answers no reads until it has its entries again: it counts as failed, not as empty."),
    EMPTIED_IS_REBUILT(
            "http.md#healing",
            "A node whose data was lost gets all entries and deletions back from the others, while they serve clients."),
    TOO_FEW_IS_504(
            "http.md#replicas",
            "Where fewer than ack nodes can answer, 504, with a line that names the nodes that failed; else they serve."),

    RESTART_KEEPS_DATA(
            "command-line.md#data-directory",
            "A server started on a directory serves what was stored there, no more and no less."),
    DIRECTORY_HAS_ONE_SERVER(
            "command-line.md#data-directory",
            "A second server on the same data directory is refused with a clear error."),
    STOP_IS_ORDERLY(
            "command-line.md#stopping",
            "A stop finishes what is in flight and ends within 10 s; a process exits with 0 on SIGTERM."),
    STOP_IS_FINAL(
            "command-line.md#stopping",
            "After a stop nothing answers and nothing is left behind; stopping twice is harmless."),
    ACKNOWLEDGED_SURVIVES(
            "command-line.md#durability",
            "An acknowledged write survives kill -9; any other is there entire or not at all."),

    ANY_NODE_ANSWERS(
            "http.md#cluster", "Whichever node of a cluster is asked, the answer is the same."),
    ONE_OWNER(
            "http.md#cluster",
            "A key lives on one node alone, its owner; /v0/entities shows a node's own entries."),
    KEYS_ARE_SPREAD("http.md#cluster", "Every node owns an equal share of the keys."),
    INTERNAL_IS_LOCAL(
            "http.md#internal",
            "Under /internal/v0/ a node answers from its own storage, and asks nobody."),
    LISTS_MUST_AGREE(
            "http.md#internal",
            "Nodes with different lists of the cluster refuse each other, and the client reads which."),
    DEAD_OWNER_IS_502(
            "http.md#unreachable",
            "While a key's owner is down, requests for the key are answered 502, and all others as ever."),
    SILENT_OWNER_IS_504(
            "http.md#unreachable",
            "While a key's owner is silent, requests for the key are answered 504, and all others as ever."),
    OWNER_BACK_IS_ASKED(
            "http.md#unreachable",
            "When an owner is back, its keys are served again, with no other node restarted.");

    private static final String ROOM = "docs/reference/";

    private final String page;
    private final String text;

    Promise(String page, String text) {
        this.page = ROOM + page;
        this.text = text;
    }

    /** Where to read about it: a file of the repository and an anchor in it. */
    public String page() {
        return page;
    }

    public String text() {
        return text;
    }
}
