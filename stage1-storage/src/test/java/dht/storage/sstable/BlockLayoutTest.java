package dht.storage.sstable;

import static dht.storage.memory.Layouts.SHORT;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.EntryView;
import dht.storage.TextDao;
import dht.storage.memory.GrowableMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlockLayoutTest {
    private static final int START = 13; // A block may begin anywhere in its file.

    private static MemorySegment block(List<String> entries) {
        try (GrowableMemory memory = new GrowableMemory(16)) {
            memory.appendZeros(START);
            short[] offsets = new short[entries.size()];
            for (int i = 0; i < offsets.length; i++) {
                offsets[i] = (short) (memory.size() - START);
                BlockLayout.appendEntry(memory, Tables.view(entries.get(i)));
            }
            BlockLayout.appendTrailer(memory, START, offsets, offsets.length);
            return MemorySegment.ofArray(memory.contents().toArray(JAVA_BYTE));
        }
    }

    private static Block load(MemorySegment file) {
        Block block = new Block();
        block.load(file, "test.sst", START, file.byteSize() - START);
        return block;
    }

    private static List<String> read(MemorySegment file) {
        Block block = load(file);
        EntryView view = new EntryView();
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < block.count(); i++) {
            block.read(i, view);
            entries.add(Tables.text(view));
        }
        return entries;
    }

    private static void checkReadBack(String... entries) {
        assertThat(read(block(List.of(entries)))).containsExactly(entries);
    }

    @Test
    void read_anyEntries_areTheSame() {
        checkReadBack("a=1@1");
        checkReadBack("a=@1", "b=deleted@2", "c=@3");
        checkReadBack("k".repeat(1024) + "=" + "v".repeat(1 << 20) + "@" + Long.MAX_VALUE);
        checkReadBack("\0=\0@0", "\u00ff=\u00ff@" + Long.MIN_VALUE);
    }

    @Test
    void load_largeBlockWithAnyBitFlipped_isCorruption() {
        MemorySegment file = block(List.of("a=1@1", "b=" + "v".repeat(200_000) + "@2"));
        for (long offset = START; offset < file.byteSize(); offset += 997) {
            byte whole = file.get(JAVA_BYTE, offset);
            file.set(JAVA_BYTE, offset, (byte) (whole ^ 4));
            assertThatThrownBy(() -> load(file)).isInstanceOf(CorruptionException.class);
            file.set(JAVA_BYTE, offset, whole);
        }
    }

    /** The next one is loaded into the same memory. */
    @Test
    void load_smallBlockAfterLargeOne_isTheSmallOne() {
        Block block = load(block(List.of("b=" + "v".repeat(200_000) + "@2")));
        MemorySegment small = block(List.of("a=1@1", "c=2@2"));

        block.load(small, "test.sst", START, small.byteSize() - START);

        EntryView view = new EntryView();
        block.read(1, view);
        assertThat(Tables.text(view)).isEqualTo("c=2@2");
        assertThat(block.count()).isEqualTo(2);
    }

    /** Offsets are two bytes without a sign. */
    @Test
    void read_entriesBeyond32KiB_areTheSame() {
        checkReadBack("a=" + "v".repeat(40_000) + "@1", "b=2@2", "c=" + "v".repeat(100_000) + "@3");
    }

    @Test
    void count_asManyTinyEntriesAsFit_isRight() {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < 2048; i++) {
            entries.add("%04d=@1".formatted(i));
        }

        assertThat(read(block(entries))).isEqualTo(entries);
    }

    @Test
    void ceiling_anyKey_isTheFirstThatIsNotLess() {
        Block block = load(block(List.of("b=1@1", "bb=2@2", "d=3@3")));
        String[][] expected = {
            {"a", "0"}, {"b", "0"}, {"b\0", "1"}, {"bb", "1"}, {"c", "2"}, {"d", "2"}, {"d\0", "3"}
        };
        for (String[] pair : expected) {
            assertThat(block.ceiling(TextDao.bytes(pair[0])))
                    .as(pair[0])
                    .isEqualTo(Integer.parseInt(pair[1]));
        }
    }

    @Test
    void ceiling_bytesAbove127_comeLast() {
        MemorySegment file = block(List.of("\0=1@1", "\u007f=2@2", "\u0080=3@3", "\u00ff=4@4"));
        String[] keys = {"\0", "\u007f", "\u0080", "\u00ff"};
        for (int i = 0; i < keys.length; i++) {
            assertThat(ceiling(file, 4, keys[i])).isEqualTo(i);
            assertThat(ceiling(file, 4, keys[i] + "\0")).isEqualTo(i + 1);
        }
    }

    @Test
    void ceiling_emptyBlock_isItsEnd() {
        assertThat(ceiling(block(List.of()), 0, "a")).isZero();
    }

    /** Entries that may not be looked at are counted by putting each, once, out of reach. */
    @Test
    void ceiling_largeBlock_looksAtFewEntries() {
        int count = 1000;
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add("%04d=@1".formatted(i));
        }
        MemorySegment file = block(entries);
        for (int wanted : new int[] {0, 1, 499, 500, 777, 999}) {
            String key = "%04d".formatted(wanted);
            assertThat(ceiling(file, count, key)).isEqualTo(wanted);
            int looks = 0;
            for (int ordinal = 0; ordinal < count; ordinal++) {
                looks += isLookedAt(file, count, ordinal, key) ? 1 : 0;
            }
            assertThat(looks).as("entries looked at for %s", key).isBetween(1, 11);
        }
    }

    private static boolean isLookedAt(MemorySegment file, int count, int ordinal, String key) {
        long offset = file.byteSize() - BlockLayout.TRAILER_BYTES - 2L * (count - ordinal);
        short whole = file.get(SHORT, offset);
        file.set(SHORT, offset, (short) BlockLayout.MAX_ENTRY_OFFSET); // Behind the file's end.
        try {
            ceiling(file, count, key);
            return false;
        } catch (IndexOutOfBoundsException e) {
            return true;
        } finally {
            file.set(SHORT, offset, whole);
        }
    }

    private static int ceiling(MemorySegment file, int count, String key) {
        long length = file.byteSize() - START;
        return BlockLayout.ceiling(file, START, length, count, TextDao.bytes(key));
    }

    @Test
    void load_anyBitFlipped_isCorruption() {
        MemorySegment file = block(List.of("a=1@1", "b=deleted@2"));
        for (long offset = START; offset < file.byteSize(); offset++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                byte whole = file.get(JAVA_BYTE, offset);
                file.set(JAVA_BYTE, offset, (byte) (whole ^ 1 << bit));
                assertThatThrownBy(() -> load(file)).isInstanceOf(CorruptionException.class);
                file.set(JAVA_BYTE, offset, whole);
            }
        }
    }
}
