package dht.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dht.testkit.transcript.Mismatch;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InProcessTest {
    @Test
    void server_whosePortIsTaken_isStartedOnAnotherOne() {
        var ports = new ArrayList<Integer>();
        var factory =
                InProcess.of(
                        node -> {
                            ports.add(node.port());
                            if (ports.size() < 3) {
                                throw new IOException(
                                        "cannot start",
                                        new BindException("Address already in use"));
                            }
                            return () -> {};
                        });
        NodeHome.start(factory, "node-1").close();
        assertThat(ports).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void server_whosePortIsAlwaysTaken_isGivenUp() {
        var attempts = new AtomicInteger();
        var factory =
                InProcess.of(
                        _ -> {
                            attempts.incrementAndGet();
                            throw new BindException("Address already in use");
                        });
        var failure =
                catchThrowableOfType(
                        StartFailure.class, () -> NodeHome.start(factory, "node-1").close());
        assertThat(failure.kind()).isEqualTo(StartFailure.Kind.PORT_TAKEN);
        assertThat(attempts).hasValue(5);
    }

    @Test
    void server_thatFailsToStart_isTriedOnce() {
        var attempts = new AtomicInteger();
        var factory =
                InProcess.of(
                        _ -> {
                            attempts.incrementAndGet();
                            throw new IOException("no disk");
                        });
        var failure =
                catchThrowableOfType(
                        StartFailure.class, () -> NodeHome.start(factory, "node-1").close());
        assertThat(failure.kind()).isEqualTo(StartFailure.Kind.REFUSED);
        assertThat(failure).hasMessageContaining("no disk");
        assertThat(attempts).hasValue(1);
    }

    @Test
    void server_thatLeavesAThread_isToldByItsNameAndNobodyElses() {
        var release = new CountDownLatch(1);
        var leaking = NodeHome.start(InProcess.of(_ -> leakingServer(release)), "leaking");
        var clean = NodeHome.start(InProcess.of(_ -> () -> {}), "clean");
        leaking.node().stop();
        clean.node().stop();
        assertThat(leaking.node().leftBehind()).containsExactly("thread stray");
        assertThat(clean.node().leftBehind()).isEqualTo(List.of());
        release.countDown();
        leaking.close();
        clean.close();
    }

    private static AutoCloseable leakingServer(CountDownLatch release) {
        var stray = new Thread(() -> await(release), "stray");
        stray.setDaemon(true);
        stray.start();
        return () -> {};
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void server_thatFailsToStop_isTold() {
        var home =
                NodeHome.start(
                        InProcess.of(
                                _ ->
                                        () -> {
                                            throw new IOException("stuck");
                                        }),
                        "node-1");
        assertThatThrownBy(() -> home.node().stop())
                .isInstanceOf(Mismatch.class)
                .hasMessageContaining("stuck");
        home.close();
    }

    @Test
    void server_inThisJvm_saysWhatItCannotDo() {
        try (var home = NodeHome.start(InProcess.of(_ -> () -> {}), "node-1")) {
            for (var ability : Ability.values()) {
                assertThat(home.node().whyNot(ability)).isPresent();
            }
        }
    }

    @Test
    void server_thatCanBeKilled_isKilled() {
        var killed = new AtomicInteger();
        try (var home = NodeHome.start(InProcess.of(_ -> killable(killed)), "node-1")) {
            assertThat(home.node().whyNot(Ability.KILL)).isEmpty();
            home.node().kill();
            assertThat(home.node().isRunning()).isFalse();
        }
        assertThat(killed).hasValue(1);
    }

    private static InProcess.Killable killable(AtomicInteger killed) {
        return new InProcess.Killable() {
            @Override
            public void kill() {
                killed.incrementAndGet();
            }

            @Override
            public void close() {}
        };
    }
}
