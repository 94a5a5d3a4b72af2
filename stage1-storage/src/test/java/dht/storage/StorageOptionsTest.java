package dht.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class StorageOptionsTest {
    private static void checkRefused(UnaryOperator<StorageOptions.Builder> change, String message) {
        assertThatThrownBy(() -> change.apply(StorageOptions.builder()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void defaults_all_areTheDocumentedOnes() {
        StorageOptions options = StorageOptions.defaults();

        assertThat(options.durability()).isEqualTo(Durability.OS);
        assertThat(options.memTableBytes()).isEqualTo(64 << 20);
        assertThat(options.memTableCountMax()).isEqualTo(4);
        assertThat(options.writeStallMax()).isEqualTo(Duration.ofMillis(100));
        assertThat(options.unsyncedWritesMax()).isEqualTo(16_384);
        assertThat(options.unsyncedBytesMax()).isEqualTo(64 << 20);
        assertThat(options.blockBytes()).isEqualTo(4096);
        assertThat(options.bloomBitsPerKey()).isEqualTo(10);
        assertThat(options.compactionFanIn()).isEqualTo(4);
        assertThat(options.tableCountMax()).isEqualTo(16);
        assertThat(options.tombstoneGrace()).isZero();
    }

    @Test
    void build_beyondABound_namesIt() {
        checkRefused(it -> it.memTableBytes(0), "memTableBytes=0: must be 1 to 2^30");
        checkRefused(
                it -> it.memTableBytes((1L << 30) + 1),
                "memTableBytes=1073741825: must be 1 to 2^30");
        checkRefused(it -> it.memTableCountMax(1), "memTableCountMax=1: must be at least 2");
        checkRefused(it -> it.unsyncedWritesMax(0), "unsyncedWritesMax=0: must be at least 1");
        checkRefused(it -> it.unsyncedBytesMax(0), "unsyncedBytesMax=0: must be at least 1");
        checkRefused(it -> it.blockBytes(0), "blockBytes=0: must be 1 to 32768");
        checkRefused(it -> it.blockBytes(32769), "blockBytes=32769: must be 1 to 32768");
        checkRefused(it -> it.bloomBitsPerKey(0), "bloomBitsPerKey=0: must be 1 to 100");
        checkRefused(it -> it.bloomBitsPerKey(101), "bloomBitsPerKey=101: must be 1 to 100");
        checkRefused(it -> it.compactionFanIn(1), "compactionFanIn=1: must be at least 2");
        checkRefused(
                it -> it.tableCountMax(3), "tableCountMax=3: must be at least compactionFanIn");
    }

    @Test
    void build_negativeTimes_areRefused() {
        checkRefused(
                it -> it.writeStallMax(Duration.ofMillis(-1)),
                "writeStallMax=PT-0.001S: must not be negative, nor longer than 100 years");
        checkRefused(
                it -> it.writeStallMax(Duration.ofSeconds(Long.MAX_VALUE)),
                "writeStallMax=PT2562047788015215H30M7S: must not be negative, nor longer than 100 years");
        checkRefused(
                it -> it.tombstoneGrace(Duration.ofDays(-1)),
                "tombstoneGrace=PT-24H: must not be negative, nor longer than 100 years");
    }

    @Test
    void build_missing_isRefused() {
        checkRefused(it -> it.durability(null), "durability is missing");
        checkRefused(it -> it.writeStallMax(null), "writeStallMax is missing");
        checkRefused(it -> it.tombstoneGrace(null), "tombstoneGrace is missing");
        checkRefused(it -> it.clock(null), "clock is missing");
    }

    @Test
    void build_atTheBounds_isTaken() {
        StorageOptions.builder()
                .memTableBytes(1)
                .memTableCountMax(2)
                .blockBytes(1)
                .bloomBitsPerKey(1)
                .compactionFanIn(2)
                .tableCountMax(2)
                .writeStallMax(Duration.ZERO)
                .build();
        StorageOptions.builder()
                .memTableBytes(1 << 30)
                .blockBytes(32768)
                .bloomBitsPerKey(100)
                .writeStallMax(Duration.ofDays(36500))
                .tombstoneGrace(Duration.ofDays(36500))
                .build();
    }
}
