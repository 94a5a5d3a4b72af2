package dht.storage.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.simulation.Faults;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Operation.Kind;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SSTableWriterTest {
    private static final int VALUE_BYTES = 1 << 20;

    /** One sync of gigabytes would keep the server from stopping. */
    @Test
    void largeTable_isSyncedInParts() throws IOException {
        Faults syncs = new Faults();
        syncs.count(operation -> operation.is(Kind.SYNC_FILE, ".sst"));
        int valuesPerSync = SSTableWriter.SYNC_BYTES / VALUE_BYTES;
        String value = ".".repeat(VALUE_BYTES);
        try (SimulatedDisk disk = new SimulatedDisk();
                HookedDirectory directory = new HookedDirectory(disk.directory(), syncs);
                SSTableWriter writer = new SSTableWriter(directory, 1, 1000, 4096, 10)) {
            for (int i = 0; i < valuesPerSync; i++) {
                assertThat(syncs.count()).isZero();
                writer.add(Tables.view("%04d=%s@1".formatted(i, value)));
            }
            assertThat(syncs.count()).isEqualTo(1);
            writer.add(Tables.view("last=%s@1".formatted(value)));
            writer.finish();
        }
        assertThat(syncs.count()).isEqualTo(2);
    }
}
