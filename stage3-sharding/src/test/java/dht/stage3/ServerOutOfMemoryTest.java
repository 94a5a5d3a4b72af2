package dht.stage3;

import dht.execution.CountedExecutor;
import dht.http.MemoryBudget;
import dht.peer.Peer;
import dht.testkit.allocation.AllocationLoader;
import dht.testkit.allocation.AllocationSchedules;
import dht.testkit.allocation.Allocations;
import dht.testkit.allocation.ScheduledServers;
import dht.testkit.allocation.ServerSchedule;
import dht.testkit.junit.LongByNature;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Allocations fail at any point of three nodes that forward requests to each other, while clients
 * ask.
 */
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
                List.of(MemoryBudget.class, CountedExecutor.class, Peer.class),
                List.of(MemoryBudget.class));
    }

    static final class Schedule extends ServerSchedule {
        Schedule() {
            super(
                    new ScheduledServers(
                            (node, durability) ->
                                    Stage3Nodes.start(
                                            node,
                                            Duration.ofHours(1),
                                            durability,
                                            "--memtable-size=2m",
                                            "--drain-timeout=8s",
                                            "--workers=2",
                                            "--peer-failures-max=1000000"),
                            List.of("--durability=os", "--durability=fsync"),
                            3,
                            List.of(""),
                            "",
                            List.of(
                                    "requests_queued",
                                    "requests_in_flight",
                                    "storage_unsynced_writes",
                                    "peer_requests_queued"),
                            Map.of(
                                    "bytes in memory budgets",
                                    () ->
                                            Allocations.sum(
                                                    MemoryBudget.class,
                                                    MemoryBudget::takenBytes))));
        }
    }
}
