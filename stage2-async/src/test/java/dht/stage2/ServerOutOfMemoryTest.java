package dht.stage2;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.execution.CountedExecutor;
import dht.http.MemoryBudget;
import dht.testkit.allocation.AllocationLoader;
import dht.testkit.allocation.AllocationSchedules;
import dht.testkit.allocation.Allocations;
import dht.testkit.allocation.ScheduledServers;
import dht.testkit.allocation.ServerSchedule;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Allocations fail at any point of a server with a pool of workers, while clients ask. */
@Timeout(900)
class ServerOutOfMemoryTest {
    @Test
    void allocations_failAtRandom_nothingIsLostStuckNorHeld() throws Exception {
        AllocationSchedules.runSome(hooked(), Schedule.class);
    }

    @Test
    @LongByNature
    void allocations_failAtRandomOftenEnough_nothingIsLostStuckNorHeld() throws Exception {
        AllocationSchedules.run(hooked(), Schedule.class, 1000);
    }

    private static AllocationLoader hooked() {
        return new AllocationLoader(
                List.of(MemoryBudget.class, CountedExecutor.class), List.of(MemoryBudget.class));
    }

    static final class Schedule extends ServerSchedule {
        Schedule() {
            super(
                    new ScheduledServers(
                            Schedule::start,
                            List.of("--durability=os", "--durability=fsync"),
                            1,
                            List.of(""),
                            "",
                            List.of(
                                    "requests_queued",
                                    "requests_in_flight",
                                    "storage_unsynced_writes"),
                            Map.of(
                                    "bytes in memory budgets",
                                    () ->
                                            Allocations.sum(
                                                    MemoryBudget.class,
                                                    MemoryBudget::takenBytes))));
        }

        private static RunningServer start(NodeSpec node, String durability) throws IOException {
            Main main = new Main();
            StageCommand.lineOf(main)
                    .parseArgs(
                            "--workers=2",
                            "--queue-deadline=1h",
                            durability,
                            "--memtable-size=2m",
                            "--drain-timeout=8s",
                            "--port=" + node.port(),
                            "--data=" + node.dataDir());
            return RunningServer.start(main::start);
        }
    }
}
