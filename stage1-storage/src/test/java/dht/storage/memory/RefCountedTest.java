package dht.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RefCountedTest {
    private static final class Counted extends RefCounted {
        private final AtomicInteger freed = new AtomicInteger();

        @Override
        protected void free() {
            freed.incrementAndGet();
        }

        @Override
        public String toString() {
            return "counted";
        }
    }

    private final Counted counted = new Counted();

    @Test
    void release_lastHolder_frees() {
        counted.retain();
        counted.release();
        assertThat(counted.freed).hasValue(0);

        counted.release();
        assertThat(counted.freed).hasValue(1);
    }

    @Test
    void release_onceTooOften_isFoundOut() {
        counted.release();

        assertThatThrownBy(counted::release)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("released more often than retained: counted");
        assertThat(counted.freed).hasValue(1);
    }

    @Test
    void retain_afterItWasFreed_isFoundOut() {
        counted.release();

        assertThat(counted.tryRetain()).isFalse();
        assertThatThrownBy(counted::retain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("retained after it was freed: counted");
        assertThat(counted.freed).hasValue(1);
    }

    @Test
    @Timeout(30)
    void holders_ofManyThreads_freeOnce() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            Counted shared = new Counted();
            AtomicInteger early = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                threads.add(Thread.ofPlatform().start(() -> use(shared, early)));
            }
            shared.release();
            for (Thread thread : threads) {
                thread.join();
            }

            assertThat(shared.freed).hasValue(1);
            assertThat(early).hasValue(0);
        }
    }

    /** If one of them is not counted, it is freed while somebody holds it. */
    @Test
    @Timeout(30)
    void retain_byManyThreadsAtOnce_countsEach() throws InterruptedException {
        int threadCount = 4;
        int retainsEach = 20_000;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < threadCount; i++) {
            threads.add(Thread.ofPlatform().start(() -> retain(retainsEach)));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        for (int i = 0; i < threadCount * retainsEach; i++) {
            counted.release();
        }
        assertThat(counted.freed).hasValue(0);
        counted.release();
        assertThat(counted.freed).hasValue(1);
    }

    private void retain(int count) {
        for (int i = 0; i < count; i++) {
            counted.retain();
        }
    }

    private static void use(Counted shared, AtomicInteger early) {
        for (int i = 0; i < 200 && shared.tryRetain(); i++) {
            early.addAndGet(shared.freed.get());
            shared.release();
        }
    }
}
