package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class ReclaimerTest {
    /** Otherwise a snapshot would keep its other tables until a restart. */
    @Test
    void execute_withoutMemoryForAnything_doesNotThrow() {
        try (Reclaimer reclaimer = new Reclaimer(1, new Full())) {
            List<String> freed = new ArrayList<>();
            reclaimer.execute(
                    () -> {
                        throw new OutOfMemoryError("injected");
                    });
            reclaimer.execute(() -> freed.add("the next"));

            assertThat(freed).containsExactly("the next");
        }
    }

    private static final class Full extends ConcurrentLinkedQueue<Runnable> {
        private static final long serialVersionUID = 1;

        @Override
        public boolean add(Runnable free) {
            throw new OutOfMemoryError("injected");
        }
    }
}
