package dht.stage5;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.lsm.LsmDao;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Request;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Looks at the threads while requests are answered: which threads wait, and which work. */
class ThreadsUnderLoadTest implements ClusterContract {
    private static final int CLIENTS = 8;

    /** So few keys that clients often use the same one. */
    private static final int KEYS = 2;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofSeconds(2);

    /** Enough samples for a conclusion. */
    private static final int OURS_MIN = 200;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final String LOCK = "java.util.concurrent.locks.ReentrantLock";
    private static final Set<Thread.State> PARKED =
            Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);
    private static final Pattern STAMPED_ANEW =
            Pattern.compile("^writes_stamped_anew_total (\\S+)$", Pattern.MULTILINE);

    private int ours; // Looks at a thread of the client's in the middle of our code.
    private int blocked; // Of these, where it waited for a lock.

    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess();
    }

    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    void clientThreads_underLoad_neverWaitInOurCodeNorWorkInTheStorage()
            throws InterruptedException {
        var cluster = cluster();
        AtomicBoolean over = new AtomicBoolean();
        String[] keys =
                IntStream.range(0, KEYS).mapToObj(_ -> Keys.unique()).toArray(String[]::new);
        try (ClientThreads clients =
                ClientThreads.start(
                        CLIENTS,
                        i -> {
                            var node = cluster.node(i % cluster.size());
                            String key = keys[i % KEYS];
                            while (!over.get()) {
                                node.put(key, Values.small()).expectStatus(201);
                                node.get(key).expectStatus(200);
                            }
                        })) {
            try {
                lookLong();
            } finally {
                over.set(true);
            }
            clients.join(PATIENCE);
        }
        assertThat(ours)
                .as("the client's threads were at our work")
                .isGreaterThanOrEqualTo(OURS_MIN);
        assertThat(blocked).as("locks are held for moments only").isLessThan(ours / 4);
        assertThat(cluster.nodes().stream().mapToDouble(ThreadsUnderLoadTest::stampedAnew).sum())
                .as("writes were stamped anew")
                .isPositive();
    }

    private static double stampedAnew(ServerUnderTest node) {
        String metrics = new String(node.ask(Request.get("/metrics")).body(), UTF_8);
        Matcher sample = STAMPED_ANEW.matcher(metrics);
        assertThat(sample.find()).isTrue();
        return Double.parseDouble(sample.group(1));
    }

    private void lookLong() throws InterruptedException {
        Deadline enough = Deadline.in(LOOK);
        Deadline patience = Deadline.in(PATIENCE);
        while (!enough.passed() || ours < OURS_MIN && !patience.passed()) {
            for (ThreadInfo thread : THREADS.dumpAllThreads(false, false)) {
                look(thread);
            }
            Thread.sleep(1);
        }
    }

    private void look(ThreadInfo thread) {
        boolean isClients = thread.getThreadName().startsWith("HttpClient-");
        boolean isWatch =
                thread.getThreadName().startsWith("peer-watch")
                        || thread.getThreadName().startsWith("peer-failure");
        boolean isCommon = thread.getThreadName().startsWith("ForkJoinPool.commonPool");
        if ((isClients || isWatch) && isIn(thread, ThreadsUnderLoadTest::isStorages)) {
            throw new AssertionError(thread);
        }
        if ((!isClients && !isCommon) || !isIn(thread, ThreadsUnderLoadTest::isServers)) {
            return;
        }
        boolean isLocking = isLocking(thread);
        if (isCommon || !isLocking && PARKED.contains(thread.getThreadState())) {
            throw new AssertionError(thread);
        }
        ours++;
        blocked += isLocking ? 1 : 0;
    }

    private static boolean isIn(ThreadInfo thread, Predicate<StackTraceElement> code) {
        return Arrays.stream(thread.getStackTrace()).anyMatch(code);
    }

    /** A thread may wait here for a moment, because the JDK's client has a lock around its pool. */
    private static boolean isLocking(ThreadInfo thread) {
        return thread.getThreadState() == Thread.State.BLOCKED
                || isIn(thread, frame -> frame.getClassName().equals(LOCK));
    }

    private static boolean isServers(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("dht.replication.") || name.startsWith("dht.peer.");
    }

    /** A call of the storage. (A version may be released on any thread.) */
    private static boolean isStorages(StackTraceElement frame) {
        return frame.getClassName().equals(LsmDao.class.getName());
    }
}
