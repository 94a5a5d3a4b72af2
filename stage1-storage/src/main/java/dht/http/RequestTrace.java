package dht.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import jdk.jfr.FlightRecorder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes when one request passes each point on its way through the server. All points are recorded
 * as one {@link RequestEvent}, if a flight recording asks for it. Otherwise a request has the trace
 * {@link #OFF}, which does nothing.
 *
 * <p>Thread-safe.
 */
public final class RequestTrace {
    /** The trace of a request that is not recorded. */
    public static final RequestTrace OFF = new RequestTrace(null, null, 0, 0);

    /**
     * A parameter on internal paths: the numbers of the clients' requests that have caused the
     * request, separated by commas.
     */
    public static final String NUMBERS_PARAMETER = "requests";

    private static final Logger LOG = LoggerFactory.getLogger(RequestTrace.class);
    private static final String INTERNAL_PREFIX = "/internal/";

    /** The stage is named in the manifest of its jar. */
    private static final String STAGE =
            Objects.requireNonNullElse(
                    RequestTrace.class.getPackage().getImplementationTitle(), "(not packaged)");

    /**
     * Only tells whether requests are recorded; it is never committed. Null until a flight recorder
     * was started: the classes of events and of the recorder make each start of a server slower.
     */
    private static volatile RequestEvent probe;

    /** Each node begins to count at a random number, so that the numbers of two nodes differ. */
    private static final AtomicLong NUMBERS =
            new AtomicLong(ThreadLocalRandom.current().nextLong(1L << 20) << 20);

    private final long number;
    private final long startNanos;

    @GuardedBy("this")
    private final RequestEvent event; // Null if the trace is off.

    @GuardedBy("this")
    private final List<Call> calls = new ArrayList<>();

    @GuardedBy("this")
    private final WorkTimes work; // Null if the trace is off.

    @GuardedBy("this")
    private boolean isAnswered;

    @GuardedBy("this")
    private boolean isCommitted;

    /** A request to another node. */
    private static final class Call {
        private final Object node;
        private final long begun;
        private long ended = RequestEvent.NEVER;
        private Class<?> outcome = Void.class; // Kept as it is: to name it may need memory.

        Call(Object node, long begun) {
            this.node = node;
            this.begun = begun;
        }

        @Override
        public String toString() {
            String name = ended == RequestEvent.NEVER ? "-" : outcome.getSimpleName();
            return node + " " + begun + " " + ended + " " + name;
        }
    }

    private RequestTrace(RequestEvent event, WorkTimes work, long number, long startNanos) {
        this.event = event;
        this.work = work;
        this.number = number;
        this.startNanos = startNanos;
    }

    /**
     * The trace of a request that has just been read.
     *
     * @param node the URL of the node that has read it
     */
    static RequestTrace begin(HttpRequest request, String node) {
        return isOn() ? of(request, node) : OFF;
    }

    private static boolean isOn() {
        if (!FlightRecorder.isInitialized()) {
            return false;
        }
        RequestEvent known = probe;
        if (known == null) {
            try {
                known = new RequestEvent();
            } catch (OutOfMemoryError | LinkageError _) { // A later request tries again.
                return false;
            }
            probe = known;
        }
        return known.isEnabled();
    }

    private static RequestTrace of(HttpRequest request, String node) {
        RequestEvent event = new RequestEvent();
        event.begin();
        event.stage = STAGE;
        event.node = node;
        long number = NUMBERS.incrementAndGet();
        String path = request.path();
        event.kind = request.method() + " " + path;
        event.numbers = path.startsWith(INTERNAL_PREFIX) ? numbers(request) : "" + number;
        WorkTimes work = new WorkTimes();
        work.enter(0);
        return new RequestTrace(event, work, number, System.nanoTime());
    }

    private static String numbers(HttpRequest request) {
        try {
            byte[] given = request.parameter(NUMBERS_PARAMETER);
            return given == null ? "" : new String(given, UTF_8);
        } catch (RequestException e) {
            return ""; // The request will be refused.
        }
    }

    /** The trace of a request for an entity. Requests of this node itself have none. */
    public static RequestTrace of(EntityRequest request) {
        return request.http() == null ? OFF : request.http().trace();
    }

    /** The number of the request on this node; 0 if the trace is off. */
    public long number() {
        return number;
    }

    private long now() {
        return System.nanoTime() - startNanos;
    }

    /** Notes that the request is passed to an executor. */
    public void queued() {
        if (this != OFF) {
            synchronized (this) {
                event.queued = now();
                work.leave(event.queued);
            }
        }
    }

    /** Notes that a thread begins to serve the request. It calls {@link #left} at the end. */
    public void begun() {
        if (this != OFF) {
            synchronized (this) {
                event.begun = now();
                work.enter(event.begun);
            }
        }
    }

    /**
     * Notes that the current thread has done its work for the request, at least for now. Needs no
     * memory.
     */
    public void left() {
        if (this != OFF) {
            synchronized (this) {
                work.leave(now());
            }
        }
    }

    /** Notes that the node's own storage has read the entry, or has made the write durable. */
    public void stored() {
        if (this != OFF) {
            synchronized (this) {
                event.stored = now();
                work.pass(event.stored);
            }
        }
    }

    /**
     * Notes that another node is asked.
     *
     * @param node its text is the URL
     * @return a number for {@link #callEnded}
     */
    public int callBegun(Object node) {
        if (this == OFF) {
            return 0;
        }
        synchronized (this) {
            long nanos = now();
            calls.add(new Call(node, nanos));
            work.pass(nanos);
            return calls.size() - 1;
        }
    }

    /**
     * Notes that another node has answered, or that the request to it has failed. The thread that
     * has received the answer calls {@link #left} when it has done what follows from it. Needs no
     * memory.
     *
     * @param outcome its class tells how it ended
     */
    public void callEnded(int call, Object outcome) {
        if (this != OFF) {
            synchronized (this) {
                long nanos = now();
                calls.get(call).ended = nanos;
                calls.get(call).outcome = outcome.getClass();
                work.enter(nanos);
            }
        }
    }

    /** Notes that the answer is passed to the connection. */
    void answered(Status status) {
        if (this != OFF) {
            synchronized (this) {
                event.answered = now();
                work.pass(event.answered);
                event.status = status.code();
                isAnswered = true;
            }
        }
    }

    /**
     * Notes that the connection has nothing left to write. If it has written the answer, the
     * request is recorded, unless there is no memory for it.
     */
    void written() {
        if (this != OFF) {
            synchronized (this) {
                if (isAnswered && !isCommitted) {
                    isCommitted = true;
                    work.pass(now());
                    commit();
                }
            }
        }
    }

    @GuardedBy("this")
    private void commit() {
        try {
            event.calls = calls.stream().map(Call::toString).collect(Collectors.joining(";"));
            event.threads = work.toString();
            event.commit();
        } catch (OutOfMemoryError e) {
            LOG.debug("no memory to record a request");
        }
    }
}
