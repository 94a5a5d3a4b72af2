package dht.stage5;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.concurrent.Crew;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Keeps;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
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
                Thread.getAllStackTraces().forEach((thread, stack) -> look(thread, stack, seen));
                Thread.sleep(1);
            }
            crew.join(PATIENCE);
        }
        assertThat(seen).as("the client's threads were at work").contains("HttpClient");
    }

    private static void look(Thread thread, StackTraceElement[] stack, Set<String> seen) {
        boolean isOurs = Arrays.stream(stack).anyMatch(ThreadsUnderLoadTest::isServers);
        if (thread.getName().startsWith("HttpClient-")) {
            seen.add("HttpClient");
            boolean isParked =
                    Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING)
                            .contains(thread.getState());
            check(!isParked || !isOurs, thread, stack);
        }
        boolean isCommon = thread.getName().startsWith("ForkJoinPool.commonPool");
        check(!isCommon || !isOurs, thread, stack);
    }

    private static void check(boolean isFine, Thread thread, StackTraceElement[] stack) {
        if (!isFine) {
            throw new AssertionError(thread + ": " + Arrays.toString(stack));
        }
    }

    private static boolean isServers(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("dht.replication.") || name.startsWith("dht.peer.");
    }
}
