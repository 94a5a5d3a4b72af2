package dht.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dht.http.MemoryBudget;
import org.junit.jupiter.api.Test;

class PeerFlagsTest {
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
