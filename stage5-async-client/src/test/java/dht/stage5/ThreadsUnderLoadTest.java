package dht.stage5;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.concurrent.Crew;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Keeps;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Looked at while requests are answered: who waits, and who does what. */
class ThreadsUnderLoadTest implements ClusterContract {
    private static final int CLIENTS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofSeconds(2);

    /** So many looks say something. */
    private static final int OURS_MIN = 20;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final String LOCK = "java.util.concurrent.locks.ReentrantLock";
    private static final Set<Thread.State> PARKED =
            Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    private int ours; // Looks at a thread of the client's in the middle of our code.
    private int blocked; // Of these, where it waited for a lock.

    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess();
    }

    @Test
    @Keeps(Promise.ONE_RESPONSE_EACH)
    void clientThreads_underLoad_neverWaitInOurCode() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        var node = cluster().node(0);
        try (Crew crew =
                Crew.start(
                        CLIENTS,
                        _ -> {
                            String key = Keys.unique();
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
            crew.join(PATIENCE);
        }
        assertThat(ours)
                .as("the client's threads were at our work")
                .isGreaterThanOrEqualTo(OURS_MIN);
        assertThat(blocked).as("locks are held for moments only").isLessThan(ours / 4);
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
        boolean isCommon = thread.getThreadName().startsWith("ForkJoinPool.commonPool");
        if ((!isClients && !isCommon)
                || Arrays.stream(thread.getStackTrace())
                        .noneMatch(ThreadsUnderLoadTest::isServers)) {
            return;
        }
        boolean isLocking = isLocking(thread);
        if (isCommon || !isLocking && PARKED.contains(thread.getThreadState())) {
            throw new AssertionError(thread);
        }
        ours++;
        blocked += isLocking ? 1 : 0;
    }

    /** For a moment, on its way to a connection: the JDK's client has a lock around its pool. */
    private static boolean isLocking(ThreadInfo thread) {
        return thread.getThreadState() == Thread.State.BLOCKED
                || Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(LOCK));
    }

    private static boolean isServers(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("dht.replication.") || name.startsWith("dht.peer.");
    }
}
