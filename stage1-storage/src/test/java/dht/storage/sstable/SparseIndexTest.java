package dht.storage.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.TextDao;
import dht.storage.memory.GrowableMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SparseIndexTest {
    private interface Check {
        void of(SparseIndex index);
    }

    /** An index of blocks that begin with these keys; each has ten bytes more than the last. */
    private static void check(List<String> firstKeys, String greatest, Check check) {
        try (GrowableMemory memory = new GrowableMemory(16);
                SparseIndex.Builder builder = new SparseIndex.Builder()) {
            long offset = 0;
            for (int i = 0; i < firstKeys.size(); i++) {
                byte[] key = TextDao.bytes(firstKeys.get(i) + "and more that is not part of it");
                builder.addBlock(offset, key, firstKeys.get(i).length());
                offset += 10L * (i + 1);
            }
            memory.appendLong(-1); // It need not begin where the memory does.
            builder.finish(offset, TextDao.bytes(greatest), memory);
            check.of(new SparseIndex(memory.contents(), Long.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void blocks_several_areWhereTheyWereAdded() {
        check(
                List.of("a", "b", "c"),
                "d",
                index -> {
                    assertThat(index.blockCount()).isEqualTo(3);
                    assertThat(index.blockOffset(2)).isEqualTo(30);
                    assertThat(index.blockLength(0)).isEqualTo(10);
                    assertThat(index.blockLength(2)).isEqualTo(30);
                    assertThat(index.smallestKey()).isEqualTo(TextDao.bytes("a"));
                    assertThat(index.greatestKey()).isEqualTo(TextDao.bytes("d"));
                });
    }

    /** A table may be larger than four gigabytes. */
    @Test
    void blocks_beyondFourGiB_areWhereTheyWereAdded() throws IOException {
        long offset = 5L << 30;
        try (GrowableMemory memory = new GrowableMemory(16);
                SparseIndex.Builder builder = new SparseIndex.Builder()) {
            builder.addBlock(0, TextDao.bytes("a"), 1);
            builder.addBlock(offset, TextDao.bytes("b"), 1);
            builder.finish(2 * offset, TextDao.bytes("c"), memory);
            SparseIndex index = new SparseIndex(memory.contents(), 0);

            assertThat(index.blockOffset(1)).isEqualTo(offset);
            assertThat(index.blockLength(0)).isEqualTo(offset);
            assertThat(index.blockLength(1)).isEqualTo(offset);
        }
    }

    /** Their offsets have four bytes: one more would wrap around, and point to another key. */
    @Test
    void keys_moreThanOffsetsCanTell_areRefused() throws IOException {
        try (SparseIndex.Builder builder = new SparseIndex.Builder(10)) {
            builder.addBlock(0, TextDao.bytes("12345"), 5);
            builder.addBlock(1, TextDao.bytes("67890"), 5);

            assertThatThrownBy(() -> builder.addBlock(2, TextDao.bytes("x"), 1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("max=10")
                    .hasMessageContaining("use a greater block size");
        }
        assertThat(SparseIndex.KEYS_BYTES_MAX).isEqualTo((1L << 32) - 1);
    }

    @Test
    void floor_oneBlock_isThat() {
        check(
                List.of("same"),
                "same",
                index -> {
                    assertThat(index.floor(TextDao.bytes("same"))).isZero();
                    assertThat(index.blockLength(0)).isEqualTo(10);
                });
    }

    @Test
    void floor_keysEqualInTheirPrefixes_looksAtWholeKeys() {
        String shared = "prefix of more than eight bytes ";
        check(
                List.of("a", shared + "b", shared + "bb", shared + "d"),
                "z",
                index -> {
                    assertThat(index.floor(TextDao.bytes(shared))).isZero();
                    assertThat(index.floor(TextDao.bytes(shared + "b"))).isEqualTo(1);
                    assertThat(index.floor(TextDao.bytes(shared + "b\0"))).isEqualTo(1);
                    assertThat(index.floor(TextDao.bytes(shared + "c"))).isEqualTo(2);
                    assertThat(index.floor(TextDao.bytes(shared + "d"))).isEqualTo(3);
                    assertThat(index.floor(TextDao.bytes("z"))).isEqualTo(3);
                });
    }

    /** Zeros at the end of a key look like the end of it, in a prefix. */
    @Test
    void floor_zerosAtTheEnd_areNotTheEnd() {
        check(
                List.of("k", "k\0", "k\0\0"),
                "k\0\0\0",
                index -> {
                    assertThat(index.floor(TextDao.bytes("k"))).isZero();
                    assertThat(index.floor(TextDao.bytes("k\0"))).isEqualTo(1);
                    assertThat(index.floor(TextDao.bytes("k\0\0"))).isEqualTo(2);
                    assertThat(index.floor(TextDao.bytes("k\0\0\0"))).isEqualTo(2);
                });
    }

    @Test
    void floor_randomKeys_agreesWithTreeSet() {
        for (int seed = 0; seed < 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            String shared = "s".repeat(random.nextInt(12));
            TreeSet<String> keys = new TreeSet<>();
            for (int i = 0; i <= random.nextInt(2, 60); i++) {
                keys.add(shared + key(random));
            }
            String greatest = keys.size() == 1 ? keys.first() : keys.pollLast();
            List<String> firstKeys = List.copyOf(keys);
            String about = "seed=" + seed + " keys=" + firstKeys;
            check(
                    firstKeys,
                    greatest,
                    index -> {
                        for (int i = 0; i < 100; i++) {
                            String key = shared + key(random);
                            if (key.compareTo(firstKeys.getFirst()) >= 0
                                    && key.compareTo(greatest) <= 0) {
                                assertThat(firstKeys.get(index.floor(TextDao.bytes(key))))
                                        .as("floor of %s, %s", key, about)
                                        .isEqualTo(keys.floor(key));
                            }
                        }
                    });
        }
    }

    /** Characters are bytes up to 255, and order as they do. */
    private static String key(SplittableRandom random) {
        StringBuilder key = new StringBuilder("k");
        for (int i = random.nextInt(12); i > 0; i--) {
            key.append("\0a\u00ff".charAt(random.nextInt(3)));
        }
        return key.toString();
    }
}
