package dht.storage.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.TextDao;
import dht.storage.simulation.Stores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests what readers find between any two stores of the writing thread. */
class SkipListStoresTest {
    private static final long ALL = Long.MAX_VALUE;
    private static final int KEYS = 64; // The highest of them has four levels.

    private static byte[] key(int index) {
        return TextDao.bytes("%02d".formatted(index * 37 % KEYS)); // In no order.
    }

    private static final class Put implements Runnable {
        private final TreeMap<byte[], Long> before = new TreeMap<>(Arrays::compareUnsigned);
        private SkipList list;

        @Override
        public void run() {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocate(1 << 14, 8);
                memory.fill((byte) 0xee); // References into nowhere.
                list = new SkipList(memory, 1);
                for (int i = 0; i < 2 * KEYS; i++) { // The second time each has a version already.
                    put(key(i % KEYS), 8L * (i + 1));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void put(byte[] key, long record) throws IOException {
            int node = list.locate(key);
            int stores =
                    Stores.each(
                            () -> {
                                if (node == NodeLayout.NONE) {
                                    list.insert(key, record);
                                } else {
                                    list.supersede(node, record);
                                }
                            },
                            () -> {
                                assertWalkIsWhole(record);
                                before.forEach(this::assertIsFound);
                            });
            assertThat(stores).isGreaterThanOrEqualTo(node == NodeLayout.NONE ? 7 : 3);
            before.put(key, record);
        }

        /** From any key on, all that was there before, in order; the new one's record, or not. */
        private void assertWalkIsWhole(long newRecord) {
            var walked = new TreeMap<byte[], Long>(Arrays::compareUnsigned);
            byte[] last = {};
            for (int node = list.first(); node != NodeLayout.NONE; node = list.next(node)) {
                assertThat(list.compare(last, node)).isNegative();
                long record = list.record(node, newRecord); // As in a view from before the put.
                last = key((int) (list.record(node, ALL) / 8 - 1) % KEYS);
                assertThat(list.compare(last, node)).isZero();
                if (record >= 0) {
                    walked.put(last, record);
                }
            }
            assertThat(walked).isEqualTo(before);
        }

        private void assertIsFound(byte[] key, long record) {
            int node = list.find(key);
            assertThat(node).isNotEqualTo(NodeLayout.NONE);
            assertThat(list.record(node, ALL)).isGreaterThanOrEqualTo(record);
        }
    }

    @Test
    void put_afterAnyStore_showsAllThatWasThereBefore() {
        Stores.replay(Put.class);
    }
}
