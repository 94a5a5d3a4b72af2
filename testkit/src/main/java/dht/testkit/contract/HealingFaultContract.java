package dht.testkit.contract;

import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import org.junit.jupiter.api.Test;

/**
 * Faults of one node at a time that only the other nodes can repair, while clients put, delete and
 * get through all nodes. Each test is a {@link FaultRun}, with the parameters of {@link
 * FaultContract}. Needs three nodes with the project's table format. They must scrub without pause,
 * and keep tombstones for a shorter time than a fault lasts.
 */
public interface HealingFaultContract extends HistoryContract {
    @Test
    @Verifies(Promise.DELETED_STAYS_DELETED)
    default void awayForLong_underLoad_losesNothing() {
        FaultRun.repeat(this, Fault.AWAY_FOR_LONG, cluster());
    }

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    default void bitsFlipped_underLoad_losesNothing() {
        FaultRun.repeat(this, Fault.BITS_FLIPPED, cluster());
    }
}
