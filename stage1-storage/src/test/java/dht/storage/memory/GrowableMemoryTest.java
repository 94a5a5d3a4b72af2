package dht.storage.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Hex;
import dht.storage.TextDao;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class GrowableMemoryTest {
    @Test
    void append_everyKind_isLittleEndianAndInOrder() {
        try (GrowableMemory memory = new GrowableMemory(1)) {
            memory.appendShort(0x0102);
            memory.appendInt(0x03040506);
            memory.appendLong(0x0708090a0b0c0d0eL);
            memory.append(new byte[] {1, 2});
            memory.append(MemorySegment.ofArray(new byte[] {9, 3, 4, 9}), 1, 2);
            memory.appendZeros(3);

            assertThat(memory.contents().toArray(JAVA_BYTE))
                    .isEqualTo(Hex.bytes("0201 06050403 0e0d0c0b0a090807 0102 0304 000000"));
            assertThat(memory.size()).isEqualTo(21);
        }
    }

    @Test
    void append_farMoreThanAtFirst_keepsAll() {
        try (GrowableMemory memory = new GrowableMemory(8)) {
            for (int i = 0; i < 10_000; i++) {
                memory.appendInt(i);
            }
            for (int i = 0; i < 10_000; i++) {
                assertThat(memory.contents().get(Layouts.INT, i * 4L)).isEqualTo(i);
            }
        }
    }

    /** Twice the memory each time: so a byte is copied about once, however many follow. */
    @Test
    void append_moreThanFits_makesTwiceTheRoom() {
        try (GrowableMemory memory = new GrowableMemory(8)) {
            memory.appendLong(1);
            memory.appendInt(2);
            MemorySegment beforeTheRest = memory.contents();
            memory.appendInt(3);

            assertThat(beforeTheRest.get(Layouts.INT, 8)).as("still in its place").isEqualTo(2);
        }
    }

    @Test
    void append_moreThanTwiceTheRoom_makesAsMuchAsIsNeeded() {
        try (GrowableMemory memory = new GrowableMemory(8)) {
            memory.append(new byte[100]);
            memory.append(MemorySegment.ofArray(new byte[1000]), 0, 1000);
            memory.appendZeros(10_000);
            assertThat(memory.contents().byteSize()).isEqualTo(11_100);
        }
    }

    @Test
    void append_moreThanThereIsMemory_changesNothing() {
        try (GrowableMemory memory = new GrowableMemory(8)) {
            memory.appendLong(1);
            assertThatThrownBy(() -> memory.appendZeros(1L << 55))
                    .isInstanceOf(OutOfMemoryError.class);
            memory.appendLong(2);

            assertThat(memory.contents().get(Layouts.LONG, 0)).isEqualTo(1);
            assertThat(memory.contents().get(Layouts.LONG, 8)).isEqualTo(2);
        }
    }

    /** What it was moved from is freed, so nobody may read it there. */
    @Test
    void contents_afterItHasGrown_cannotBeReadInItsFormerPlace() {
        try (GrowableMemory memory = new GrowableMemory(8)) {
            memory.appendLong(1);
            MemorySegment former = memory.contents();
            memory.appendLong(2);

            assertThatThrownBy(() -> former.get(JAVA_BYTE, 0))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    /** What was there before is overwritten, zeros included. */
    @Test
    void clear_andAppendAgain_showsOnlyTheNew() {
        try (GrowableMemory memory = new GrowableMemory(8)) {
            memory.append(TextDao.bytes("former content"));
            memory.clear();
            assertThat(memory.contents().byteSize()).isZero();
            memory.appendZeros(4);

            assertThat(memory.contents().toArray(JAVA_BYTE)).isEqualTo(new byte[4]);
        }
    }

    @Test
    void contents_afterClose_cannotBeRead() {
        GrowableMemory memory = new GrowableMemory(8);
        memory.appendLong(1);
        MemorySegment contents = memory.contents();
        memory.close();

        assertThatThrownBy(() -> contents.get(JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(memory::close).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void append_fromAnotherThread_isFoundOut() {
        try (GrowableMemory memory = new GrowableMemory(8)) {
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> memory.appendLong(1));

            assertThatThrownBy(other::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(WrongThreadException.class);
        }
    }
}
