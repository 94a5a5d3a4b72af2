package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.replication.PlacementRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranges of clients' keys, and the ranges of the storage that they come from. */
class KeyRangeTest {
    private static byte[] key(String key) {
        return key.getBytes(UTF_8);
    }

    private static byte[] record(String key) {
        return PlacementRecord.key(key(key));
    }

    private static List<String> concernedBy(byte[] from, byte[] to) {
        return KeyRange.concernedBy(from, to).stream()
                .map(range -> new String(range.from(), UTF_8) + "-" + new String(range.to(), UTF_8))
                .toList();
    }

    @Test
    void concernedBy_keysAndRecords_areTheClientsKeysOfBoth() {
        assertThat(concernedBy(key("a"), key("c"))).containsExactly("a-c");
        assertThat(concernedBy(record("a"), record("c"))).containsExactly("a-c");
        assertThat(concernedBy(key("x"), record("c"))).containsExactly("x-", "-c");
        assertThat(concernedBy(key("x"), new byte[] {PlacementRecord.PREFIX}))
                .containsExactly("x-");
    }
}
