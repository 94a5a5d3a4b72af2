package dht.storage.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.Hex;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the bytes of a table. The format is persistent: if it changed, existing data could no
 * longer be read.
 */
class SSTableFormatTest {
    private static final List<String> ENTRIES =
            List.of("a=1@10", "b=deleted@20", "bc=@5", "c=2@30");

    private static final byte[] BLOCKS =
            Hex.bytes(
                    """
                    0100             | 0   keyLength
                    01000000         |     valueLength
                    0a00000000000000 |     timestampMicros
                    61               |     key "a"
                    31               |     value "1"
                    0100             | 16  keyLength
                    ffffffff         |     valueLength: a tombstone
                    1400000000000000 |     timestampMicros
                    62               |     key "b"
                    0200             | 31  keyLength
                    00000000         |     valueLength: an empty value
                    0500000000000000 |     timestampMicros
                    6263             |     key "bc"
                    0000 1000 1f00   | 47  offsets
                    0300             | 53  count
                    17bf0f4c         | 55  checksum
                    0100             | 59  the next block: keyLength
                    01000000         |     valueLength
                    1e00000000000000 |     timestampMicros
                    63               |     key "c"
                    32               |     value "2"
                    0000             | 75  offsets
                    0100             | 77  count
                    5d819cc8         | 79  checksum
                    """);

    private static final byte[] FILTER =
            Hex.bytes(
                    """
                    0200000801000180 | 83  one line of 512 bits, six of them for each key
                    0000000800020000 |
                    080000000c000001 |
                    1020000000000000 |
                    0000000c00000000 |
                    0000008000000000 |
                    4200800000000000 |
                    9000800000000400 |
                    """);

    private static final byte[] INDEX =
            Hex.bytes(
                    """
                    02000000         | 147 count
                    00000000         |     skip
                    0000000000000061 |     prefixes: big-endian numbers, stored little-endian
                    0000000000000063 |
                    0000000000000000 |     where blocks begin, and the last one ends
                    3b00000000000000 |
                    5300000000000000 |
                    00000000         |     where keys begin, and the last one ends
                    01000000         |
                    02000000         |
                    03000000         |
                    61               |     first key "a"
                    63               |     first key "c"
                    63               |     greatest key "c"
                    """);

    private static final byte[] FOOTER =
            Hex.bytes(
                    """
                    0700000000000000 | 0   tableNumber
                    0400000000000000 |     entryCount
                    0100000000000000 |     tombstoneCount
                    0700000000000000 |     dataBytes
                    0500000000000000 | 32  leastTimestampMicros
                    1e00000000000000 |     greatestTimestampMicros
                    5300000000000000 | 48  filterOffset
                    9300000000000000 |     indexOffset
                    8cbf640f         | 64  filterChecksum
                    9af9e477         |     indexChecksum
                    0000000000000000 |     zeros
                    01000000         | 80  version
                    1ed2dddb         |     checksum
                    4448545353543100 |     magic "DHTSST1"
                    """);

    private final Tables tables = new Tables();

    @AfterEach
    void close() {
        tables.close();
    }

    private static byte[] documented() {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        for (byte[] part : new byte[][] {BLOCKS, FILTER, INDEX, FOOTER}) {
            file.writeBytes(part);
        }
        return file.toByteArray();
    }

    @Test
    void write_bytes_areTheDocumentedOnes() throws IOException {
        tables.write(7, 32, 10, ENTRIES);
        byte[] written = tables.content(7);

        assertThat(Arrays.copyOf(written, 83)).as("blocks").isEqualTo(BLOCKS);
        assertThat(Arrays.copyOfRange(written, 83, 147)).as("filter").isEqualTo(FILTER);
        assertThat(Arrays.copyOfRange(written, 147, written.length - Footer.BYTES))
                .as("index")
                .isEqualTo(INDEX);
        assertThat(Arrays.copyOfRange(written, written.length - Footer.BYTES, written.length))
                .as("footer")
                .isEqualTo(FOOTER);
    }

    @Test
    void open_documentedBytes_areRead() throws IOException {
        SSTable table = tables.open(7, documented());

        assertThat(Tables.all(table)).isEqualTo(ENTRIES);
        for (String key : List.of("a", "b", "bc", "c")) {
            assertThat(Tables.get(table, key)).isIn(ENTRIES);
        }
        assertThat(table.dataBytes()).isEqualTo(7);
    }

    @Test
    void open_versionOfTheFuture_isToldApart() {
        byte[] file = documented();
        file[file.length - 16] = 2;

        assertThatThrownBy(() -> tables.open(7, file))
                .isInstanceOf(CorruptionException.class)
                .hasMessage(
                        "unknown file format: file=00000007.sst offset=%d: version=2 supported=1:"
                                        .formatted(file.length - 16)
                                + " written by a newer release of this program: use that one");
    }

    @Test
    void open_otherTablesFile_isFoundOut() {
        assertThatThrownBy(() -> tables.open(8, documented()))
                .hasMessageContaining("file=00000008.sst")
                .hasMessageContaining("footer belongs to table number=7");
    }
}
