package dht.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import dht.testkit.transcript.Mismatch;
import java.util.ArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HistoryCheckTest {
    private static Script script() {
        return new Script();
    }

    static Stream<Arguments> cleanHistories() {
        return Stream.of(
                Arguments.of("nobody did anything", script()),
                Arguments.of("a read of a key never written", script().get(null, 1, 2)),
                Arguments.of(
                        "each read returns the last write",
                        script().put("a", 1, 2)
                                .get("a", 3, 4)
                                .put("b", 5, 6)
                                .get("b", 7, 8)
                                .delete(9, 10)
                                .get(null, 11, 12)
                                .put("c", 13, 14)
                                .get("c", 15, 16)),
                Arguments.of(
                        "a read during a write returns the old or the new value, by turns",
                        script().put("a", 1, 2)
                                .put("b", 3, 20)
                                .get("b", 4, 5)
                                .get("a", 6, 7)
                                .get("b", 8, 9)),
                Arguments.of(
                        "a read begins at the very moment when the write ends",
                        script().put("a", 1, 2).put("b", 3, 5).get("a", 5, 6)),
                Arguments.of(
                        "of two concurrent writes the one that ended first is the newer one",
                        script().put("a", 1, 5).put("b", 2, 4).get("b", 6, 7).get("b", 8, 9)),
                Arguments.of(
                        "a write of unknown outcome shows late and by turns",
                        script().add(Kind.PUT, "a", 1, 3, Outcome.UNKNOWN)
                                .put("b", 4, 5)
                                .get("b", 6, 7)
                                .get("a", 8, 9)
                                .get("b", 10, 11)),
                Arguments.of(
                        "a write of unknown outcome never shows",
                        script().add(Kind.PUT, "a", 1, 3, Outcome.UNKNOWN).get(null, 4, 5)),
                Arguments.of(
                        "a deletion of unknown outcome happens much later",
                        script().add(Kind.DELETE, null, 1, 2, Outcome.UNKNOWN)
                                .put("a", 3, 4)
                                .get("a", 5, 6)
                                .get(null, 7, 8)
                                .get("a", 9, 10)),
                Arguments.of(
                        "a refused write, and a deletion that was refused",
                        script().put("a", 1, 2)
                                .add(Kind.PUT, "b", 3, 4, Outcome.FAILED)
                                .add(Kind.DELETE, null, 5, 6, Outcome.FAILED)
                                .get("a", 7, 8)),
                Arguments.of(
                        "a read that failed tells nothing",
                        script().put("a", 1, 2).add(Kind.GET, null, 3, 4, Outcome.FAILED)),
                Arguments.of(
                        "of two deletions one explains the reads of nothing",
                        script().put("a", 1, 10)
                                .delete(2, 4)
                                .delete(5, 20)
                                .get("a", 11, 12)
                                .get(null, 13, 14)
                                .get(null, 21, 22)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cleanHistories")
    void history_explainedByOneOrder_isClean(String what, Script script) {
        assertThat(script.judged().violations()).as(what).isEmpty();
        assertThatCode(() -> script.judged().expectClean()).doesNotThrowAnyException();
    }

    static Stream<Arguments> plantedViolations() {
        return Stream.of(
                Arguments.of(Rule.THIN_AIR, script().put("a", 1, 2).get("x", 3, 4), 1),
                Arguments.of(Rule.FROM_THE_FUTURE, script().get("a", 1, 2).put("a", 3, 4), 2),
                Arguments.of(
                        Rule.REFUSED,
                        script().add(Kind.PUT, "a", 1, 2, Outcome.FAILED).get("a", 3, 4),
                        2),
                Arguments.of(Rule.LOST, script().put("a", 1, 2).put("b", 3, 4).get("a", 5, 6), 3),
                Arguments.of(Rule.LOST, script().put("a", 1, 2).get(null, 3, 4), 2),
                Arguments.of(Rule.LOST, script().delete(1, 2).put("a", 3, 4).get(null, 5, 6), 3),
                Arguments.of(
                        Rule.LOST,
                        script().put("a", 1, 9).put("b", 10, 11).put("c", 10, 12).get("a", 13, 14),
                        3),
                Arguments.of(
                        Rule.UNDELETED, script().put("a", 1, 2).delete(3, 4).get("a", 5, 6), 3),
                Arguments.of(
                        Rule.ONE_ORDER,
                        script().put("a", 1, 5).put("b", 2, 6).get("a", 7, 8).get("b", 9, 10),
                        4),
                Arguments.of(
                        Rule.ONE_ORDER,
                        script().put("a", 1, 5).delete(2, 6).get("a", 7, 8).get(null, 9, 10),
                        4));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("plantedViolations")
    void history_withPlantedViolation_namesRuleAndOperations(
            Rule rule, Script script, int evidence) {
        assertThat(script.judged().violations())
                .singleElement()
                .satisfies(
                        violation -> {
                            assertThat(violation.rule()).isEqualTo(rule);
                            assertThat(violation.operations()).hasSize(evidence);
                            assertThat(new HistoryOracle(script.operations()).isExplained())
                                    .isFalse();
                        });
    }

    @Test
    void violation_described_tellsKeyNodesTimesAndAnswers() {
        var verdict =
                new Script()
                        .put("a", 1_000_000_000, 1_000_250_000)
                        .delete(1_001_000_000, 1_002_000_000)
                        .get("a", 1_003_000_000, 1_004_000_000)
                        .judged();
        assertThat(verdict.describe().lines().map(String::stripTrailing))
                .containsExactly(
                        "3 operations on 1 keys, violations on 1 of them",
                        "key k: An acknowledged deletion stays until a newer write.",
                        "  node-1   PUT \"a\"                         0.000000 to 0.000250 s  acknowledged",
                        "  node-2   DELETE                          0.001000 to 0.002000 s  acknowledged",
                        "  node-3   GET                             0.003000 to 0.004000 s  found \"a\"");
        assertThatThrownBy(verdict::expectClean)
                .isInstanceOf(Mismatch.class)
                .hasMessageContaining(verdict.describe());
    }

    @Test
    void judge_manyKeysAndManyOperations_findsTheOneViolation() {
        var operations = new ArrayList<Operation>();
        for (var i = 0; i < 300_000; i++) {
            var key = "k" + (i / 3 % 3 == 0 ? 0 : i / 3 % 1000);
            var time = i * 10L;
            operations.add(operation(Kind.PUT, key, "v" + i, time));
            operations.add(operation(Kind.GET, key, "v" + i, time + 5));
        }
        assertThat(HistoryCheck.judge(operations).isClean()).isTrue();
        operations.add(operation(Kind.GET, "k0", "v0", 10L * 300_000));
        assertThat(HistoryCheck.judge(operations).violations())
                .extracting(Violation::key, Violation::rule)
                .containsExactly(tuple("k0", Rule.LOST));
    }

    private static Operation operation(Kind kind, String key, String value, long time) {
        return new Operation(kind, key, value, "node-1", time, time + 3, Outcome.OK, "");
    }

    @Test
    void judge_sameValueWrittenTwice_isRefused() {
        var script = script().put("a", 1, 2).put("a", 3, 4);
        assertThatThrownBy(script::judged)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("key=k value=a");
    }

    @Test
    void history_recordedByManyThreads_hasEachOperation() throws InterruptedException {
        var history = new History();
        var threads =
                Stream.generate(
                                () ->
                                        Thread.startVirtualThread(
                                                () ->
                                                        history.add(
                                                                operation(Kind.GET, "k", null, 1))))
                        .limit(100)
                        .toList();
        for (var thread : threads) {
            thread.join();
        }
        assertThat(history.operations()).hasSize(100);
    }
}
