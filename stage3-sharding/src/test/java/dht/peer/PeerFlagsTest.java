package dht.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dht.http.MemoryBudget;
import org.junit.jupiter.api.Test;

class PeerFlagsTest {
    /** A quorum of three of five asks two other nodes at once. */
    @Test
    void answerMemory_always_hasRoomForAllThatLargeAnswersMayTake() {
        MemoryBudget memory = PeerFlags.answerMemory(32 << 20);
        assertThat(memory.tryTake(16 << 20)).isTrue();
        assertThat(memory.tryTake(16 << 20)).isTrue();
        assertThat(memory.tryTake(16 << 20)).isFalse();
    }

    @Test
    void answerMemory_heldByFewLargeAnswers_hasRoomForSmallOnes() {
        MemoryBudget memory = PeerFlags.answerMemory(32 << 20);
        assertThat(memory.tryTake(16 << 20)).isTrue();
        while (memory.tryTake(1 << 20)) {
            // All that large answers may take.
        }
        for (int i = 0; i < 64; i++) {
            assertThat(memory.tryTake(70_000)).isTrue();
        }
    }
}
