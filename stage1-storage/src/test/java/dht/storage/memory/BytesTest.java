package dht.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BytesTest {
    /** Few different bytes, so that the strings share beginnings; some of them negative. */
    private static byte[] random(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(20)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = random.nextInt(8) == 0 ? (byte) random.nextInt() : (byte) 0x80;
        }
        return bytes;
    }

    @Test
    void compare_randomStrings_ordersAsUnsignedBytes() {
        SplittableRandom random = new SplittableRandom(1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(100);
            for (int i = 0; i < 20_000; i++) {
                byte[] a = random(random);
                byte[] b = random(random);
                int expected = Integer.signum(Arrays.compareUnsigned(a, b));
                memory.fill((byte) random.nextInt());
                MemorySegment.copy(MemorySegment.ofArray(a), 0, memory, 3, a.length);
                MemorySegment.copy(MemorySegment.ofArray(b), 0, memory, 50, b.length);

                assertThat(Integer.signum(Bytes.compare(a, memory, 50, b.length)))
                        .as("%s and %s", Arrays.toString(a), Arrays.toString(b))
                        .isEqualTo(expected);
                assertThat(Integer.signum(Bytes.compare(memory, 3, a.length, memory, 50, b.length)))
                        .as("%s and %s", Arrays.toString(a), Arrays.toString(b))
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void prefix_randomStrings_neverContradictsTheOrder() {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 20_000; i++) {
            byte[] a = random(random);
            byte[] b = random(random);
            int shared = Bytes.commonPrefixLength(a, b);
            int skip = shared == 0 ? 0 : random.nextInt(shared + 1);
            int order =
                    Long.compareUnsigned(
                            Bytes.prefix(a, skip, a.length), Bytes.prefix(b, skip, b.length));
            if (order != 0) {
                assertThat(Integer.signum(order))
                        .as("%s and %s", Arrays.toString(a), Arrays.toString(b))
                        .isEqualTo(Integer.signum(Arrays.compareUnsigned(a, b)));
            }
        }
    }

    @Test
    void prefix_anyLength_isBigEndianAndFilledWithZeros() {
        byte[] key = {1, 2, 3, 4, 5, 6, 7, 8, (byte) 0xff};

        assertThat(Bytes.prefix(key, 0, 9)).isEqualTo(0x0102030405060708L);
        assertThat(Bytes.prefix(key, 1, 9)).isEqualTo(0x02030405060708ffL);
        assertThat(Bytes.prefix(key, 7, 9)).isEqualTo(0x08ff000000000000L);
        assertThat(Bytes.prefix(key, 0, 2)).isEqualTo(0x0102000000000000L);
        assertThat(Bytes.prefix(key, 9, 9)).isZero();
    }

    @Test
    void commonPrefixLength_anyStrings_countsWhatTheyShare() {
        assertThat(Bytes.commonPrefixLength(new byte[] {1, 2}, new byte[] {1, 3})).isEqualTo(1);
        assertThat(Bytes.commonPrefixLength(new byte[] {1}, new byte[] {1, 3})).isEqualTo(1);
        assertThat(Bytes.commonPrefixLength(new byte[] {1}, new byte[] {1})).isEqualTo(1);
        assertThat(Bytes.commonPrefixLength(new byte[] {}, new byte[] {1})).isZero();
    }

    @Test
    void copy_partOfMemory_isThatPart() {
        MemorySegment memory = MemorySegment.ofArray(new byte[] {1, 2, 3, 4});
        assertThat(Bytes.copy(memory, 1, 2)).containsExactly(2, 3);
    }
}
