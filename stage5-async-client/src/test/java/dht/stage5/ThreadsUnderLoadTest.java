package dht.stage5;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.concurrent.Crew;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Keeps;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Looked at while requests are answered: who waits, and who does what. */
class ThreadsUnderLoadTest implements ClusterContract {
    private static final int CLIENTS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Set<Thread.State> PARKED =
            Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess();
    }

    @Test
    @Keeps(Promise.ONE_RESPONSE_EACH)
    void clientThreads_underLoad_neverWaitInOurCode() throws InterruptedException {
        Set<String> seen = new HashSet<>();
        long endNanos = System.nanoTime() + LOOK_NANOS;
        var node = cluster().node(0);
        try (Crew crew =
                Crew.start(
                        CLIENTS,
                        _ -> {
                            String key = Keys.unique();
                            while (System.nanoTime() < endNanos) {
                                node.put(key, Values.small()).expectStatus(201);
                                node.get(key).expectStatus(200);
                            }
                        })) {
            while (System.nanoTime() < endNanos) {
                for (ThreadInfo thread : THREADS.dumpAllThreads(false, false)) {
                    look(thread, seen);
                }
                Thread.sleep(1);
            }
            crew.join(PATIENCE);
        }
        assertThat(seen).as("the client's threads were at work").contains("HttpClient");
    }

    private static void look(ThreadInfo thread, Set<String> seen) {
        boolean isOurs =
                Arrays.stream(thread.getStackTrace()).anyMatch(ThreadsUnderLoadTest::isServers);
        boolean isClients = thread.getThreadName().startsWith("HttpClient-");
        boolean isCommon = thread.getThreadName().startsWith("ForkJoinPool.commonPool");
        if (isClients) {
            seen.add("HttpClient");
        }
        if (isOurs && (isCommon || isClients && PARKED.contains(thread.getThreadState()))) {
            throw new AssertionError(thread);
        }
    }

    private static boolean isServers(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("dht.replication.") || name.startsWith("dht.peer.");
    }
}
