package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what closing does with entries that are not in a table yet. */
@Timeout(60)
class ClosingTest {
    private static final LsmDao.Timing AT_ONCE = new LsmDao.Timing(5, Duration.ZERO);

    private final SimulatedDisk disk = new SimulatedDisk();

    private TextDao open(Durability durability) throws IOException {
        StorageOptions options = TestOptions.small().durability(durability).build();
        HookedDirectory directory = new HookedDirectory(disk.directory(), _ -> {});
        return new TextDao(LsmDao.open(directory, options, AT_ONCE));
    }

    private boolean hasTable() {
        return disk.names().stream().anyMatch(name -> name.endsWith(".sst"));
    }

    /** The time to stop is limited, and the next start replays the log. */
    @ParameterizedTest
    @EnumSource(names = {"OS", "FSYNC"})
    void close_timeIsUp_leavesEntriesToTheirLogs(Durability durability) throws IOException {
        TextDao dao = open(durability);
        dao.put("a", "1", 1);
        dao.dao().close();
        assertThat(hasTable()).isFalse();

        TextDao next = open(durability);
        assertThat(next.all()).containsExactly("a=1@1");
        next.dao().close();
        disk.close();
    }

    @Test
    void close_noLog_flushesHoweverLongItTakes() throws IOException {
        TextDao dao = open(Durability.NONE);
        dao.put("a", "1", 1);
        dao.dao().close();
        assertThat(hasTable()).isTrue();

        TextDao next = open(Durability.NONE);
        assertThat(next.all()).containsExactly("a=1@1");
        next.dao().close();
        disk.close();
    }
}
