package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    @Test
    void tryTake_withoutReserve_takesAll() {
        MemoryBudget budget = new MemoryBudget(100);
        assertThat(budget.tryTake(100)).isTrue();
        assertThat(budget.tryTake(1)).isFalse();
        budget.giveBack(1);
        assertThat(budget.tryTake(1)).isTrue();
    }

    @Test
    void tryTake_ofThoseWhoHoldMuch_leavesTheReserve() {
        MemoryBudget budget = MemoryBudget.withReserve(100, 10);
        assertThat(budget.tryTake(76)).isFalse();
        assertThat(budget.tryTake(75)).isTrue();
        assertThat(budget.tryTake(11)).isFalse();
        assertThat(budget.tryTake(5, 6)).as("11 in all").isFalse();
        assertThat(budget.tryTake(5, 5)).as("10 in all").isTrue();
        assertThat(budget.tryTake(10)).isTrue();
        assertThat(budget.tryTake(10)).isTrue();
        assertThat(budget.tryTake(1)).isFalse();
        assertThat(budget.takenBytes()).isEqualTo(100);
    }

    @Test
    void tryTake_refused_takesNothing() {
        MemoryBudget budget = MemoryBudget.withReserve(100, 10);
        assertThat(budget.tryTake(1000)).isFalse();
        assertThat(budget.takenBytes()).isZero();
    }
}
