package dht.storage.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.Hex;
import dht.storage.TextDao;
import dht.storage.file.WritableMapping;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Tests the bytes of a log. The format is persistent: if it changed, existing data could no longer
 * be read.
 */
class LogFormatTest {
    private static final UUID BOOT = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    private static final String NAME = "00000005.log";

    private static final byte[] HEADER =
            Hex.bytes(
                    """
                    4448544c4f473100 | 0   magic "DHTLOG1"
                    01000000         | 8   version
                    9b929b7e         | 12  checksum
                    0500000000000000 | 16  logNumber
                    0300000000000000 | 24  previousLog
                    0807060504030201 | 32  bootId
                    100f0e0d0c0b0a09 |
                    0000000000000000 | 48  zeros
                    0000000000000000 |
                    3810000000000000 | 64  appendedUpTo = 4152
                    2010000000000000 | 72  previousEnd = 4128
                    2a4d660a         | 80  checksum
                    00000000         |
                    0000000000000000 | 88  zeros
                    0000000000000000 |
                    0000000000000000 |
                    0000000000000000 |
                    0000000000000000 |
                    3810000000000000 | 128 syncedUpTo = 4152
                    """);

    private static final byte[] RECORDS =
            Hex.bytes(
                    """
                    53f72c3a         | 4096 checksum
                    05000000         |      valueLength
                    e803000000000000 |      timestampMicros = 1000
                    0300             |      keyLength
                    6b6579           |      key "key"
                    76616c7565       |      value "value"
                    000000000000     |      up to a multiple of eight
                    a3aeaa62         | 4128 checksum
                    ffffffff         |      valueLength: a tombstone
                    d007000000000000 |      timestampMicros = 2000
                    0400             |      keyLength
                    676f6e65         |      key "gone"
                    0000             |      up to a multiple of eight
                    0000000000000000 | 4152 no record follows
                    """);

    private static byte[] written() throws IOException {
        try (SimulatedDisk disk = new SimulatedDisk()) {
            try (WritableMapping mapping = disk.directory().createMapped(NAME, 1 << 16)) {
                WriteAheadLog log = new WriteAheadLog(mapping, 5, 3, BOOT, 1 << 14);
                log.begin(4128);
                log.append(
                        TextDao.bytes("key"), MemorySegment.ofArray(TextDao.bytes("value")), 1000);
                log.append(TextDao.bytes("gone"), null, 2000);
                log.sync(log.appendedUpTo());
            }
            return disk.image().content(NAME);
        }
    }

    /** A whole file of the documented bytes. */
    private static byte[] documented() {
        byte[] file = Arrays.copyOf(HEADER, 1 << 14);
        System.arraycopy(RECORDS, 0, file, 4096, RECORDS.length);
        return file;
    }

    private static List<String> read(byte[] file) {
        LogReplay replay = LogReplay.open(MemorySegment.ofArray(file), 5, NAME, BOOT);
        assertThat(replay.previousLog()).isEqualTo(3);
        List<String> records = new ArrayList<>();
        replay.forEach(
                (offset, entry) ->
                        records.add(
                                offset
                                        + " "
                                        + TextDao.text(entry.copyKey())
                                        + "="
                                        + (entry.isTombstone()
                                                ? "deleted"
                                                : TextDao.text(entry.copyValue()))
                                        + "@"
                                        + entry.timestampMicros()));
        return records;
    }

    @Test
    void append_bytes_areTheDocumentedOnes() throws IOException {
        byte[] written = written();

        assertThat(Arrays.copyOf(written, HEADER.length)).isEqualTo(HEADER);
        assertThat(Arrays.copyOfRange(written, 4096, 4096 + RECORDS.length)).isEqualTo(RECORDS);
        assertThat(written).isEqualTo(documented()); // Zeros all between and behind.
    }

    @Test
    void replay_documentedBytes_areRead() {
        assertThat(read(documented()))
                .containsExactly("4096 key=value@1000", "4128 gone=deleted@2000");
    }

    @Test
    void replay_versionOfTheFuture_isToldApart() {
        byte[] file = documented();
        file[8] = 2;

        assertThatThrownBy(() -> read(file))
                .isInstanceOf(CorruptionException.class)
                .hasMessage(
                        "unknown file format: file=00000005.log offset=8: version=2 supported=1:"
                                + " written by a newer release of this program: use that one");
    }

    @Test
    void replay_notALog_saysSo() {
        byte[] file = documented();
        file[0] = 'X';

        assertThatThrownBy(() -> read(file)).hasMessageContaining("not a log: bytes=16384");
        assertThatThrownBy(() -> read(new byte[100])).hasMessageContaining("not a log: bytes=100");
    }

    @Test
    void replay_headerDamaged_failsItsChecksum() {
        byte[] file = documented();
        file[16] ^= 1;

        assertThatThrownBy(() -> read(file)).hasMessageContaining("log header fails its checksum");
    }
}
