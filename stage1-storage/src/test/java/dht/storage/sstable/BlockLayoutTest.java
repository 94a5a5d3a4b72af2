package dht.storage.sstable;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

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

    private static List<String> read(MemorySegment file) {
        long length = file.byteSize() - START;
        assertThat(BlockLayout.isValid(file, START, length)).isTrue();
        int count = BlockLayout.count(file, START, length);
        EntryView view = new EntryView();
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            BlockLayout.read(file, START, length, count, i, view);
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
        MemorySegment file = block(List.of("b=1@1", "bb=2@2", "d=3@3"));
        long length = file.byteSize() - START;
        String[][] expected = {
            {"a", "0"}, {"b", "0"}, {"b\0", "1"}, {"bb", "1"}, {"c", "2"}, {"d", "2"}, {"d\0", "3"}
        };
        for (String[] pair : expected) {
            assertThat(BlockLayout.ceiling(file, START, length, 3, TextDao.bytes(pair[0])))
                    .as(pair[0])
                    .isEqualTo(Integer.parseInt(pair[1]));
        }
    }

    @Test
    void isValid_anyBitFlipped_isFalse() {
        MemorySegment file = block(List.of("a=1@1", "b=deleted@2"));
        for (long offset = START; offset < file.byteSize(); offset++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                byte whole = file.get(JAVA_BYTE, offset);
                file.set(JAVA_BYTE, offset, (byte) (whole ^ 1 << bit));
                assertThat(BlockLayout.isValid(file, START, file.byteSize() - START)).isFalse();
                file.set(JAVA_BYTE, offset, whole);
            }
        }
    }
}
