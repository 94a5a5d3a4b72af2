package dht.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AtomicCheckTest {
    private static Script script() {
        return new Script();
    }

    static Stream<Arguments> atomicHistories() {
        return Stream.of(
                Arguments.of("nobody did anything", script()),
                Arguments.of("a read of a key never written", script().get(null, 1, 2)),
                Arguments.of(
                        "reads during a write return the old value, then the new one",
                        script().put("a", 1, 2)
                                .put("b", 3, 20)
                                .get("a", 4, 5)
                                .get("b", 6, 7)
                                .get("b", 8, 9)),
                Arguments.of(
                        "two reads that overlap return the new value, and the old one",
                        script().put("a", 1, 2).put("b", 3, 20).get("b", 4, 8).get("a", 5, 9)),
                Arguments.of(
                        "a write of unknown outcome shows late, and stays",
                        script().add(Kind.PUT, "a", 1, 3, Outcome.UNKNOWN)
                                .put("b", 4, 5)
                                .get("b", 6, 7)
                                .get("a", 8, 9)
                                .get("a", 10, 11)),
                Arguments.of(
                        "a write of unknown outcome never shows",
                        script().add(Kind.PUT, "a", 1, 3, Outcome.UNKNOWN).get(null, 4, 5)),
                Arguments.of(
                        "a deletion of unknown outcome happens much later",
                        script().add(Kind.DELETE, null, 1, 2, Outcome.UNKNOWN)
                                .put("a", 3, 4)
                                .get("a", 5, 6)
                                .get(null, 7, 8)),
                Arguments.of(
                        "each of two deletions explains one of the reads of nothing",
                        script().delete(1, 30)
                                .delete(2, 30)
                                .put("a", 3, 4)
                                .get(null, 5, 6)
                                .put("b", 7, 8)
                                .get(null, 9, 10)),
                Arguments.of(
                        "the deletion that must be done first is used first",
                        script().delete(1, 30)
                                .delete(2, 8)
                                .put("a", 3, 4)
                                .get(null, 5, 6)
                                .put("b", 9, 10)
                                .get(null, 11, 12)),
                Arguments.of(
                        "a put that nobody has read is over before a deletion",
                        script().put("a", 1, 9).delete(2, 5).get(null, 6, 7).get(null, 11, 12)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("atomicHistories")
    void history_inWhichEachRequestHasItsMoment_isClean(String what, Script script) {
        assertThat(violationsOf(script)).as(what).isEmpty();
        assertThat(new HistoryOracle(script.operations()).isExplained(RegisterKind.ATOMIC))
                .isTrue();
    }

    static Stream<Arguments> inversions() {
        return Stream.of(
                Arguments.of(
                        "a later read returns the older value",
                        script().put("a", 1, 2).put("b", 3, 20).get("b", 4, 5).get("a", 6, 7),
                        4),
                Arguments.of(
                        "a later read finds nothing yet",
                        script().put("a", 1, 20).get("a", 2, 3).get(null, 4, 5),
                        3),
                Arguments.of(
                        "a later read finds what was deleted",
                        script().put("a", 1, 2).delete(3, 20).get(null, 4, 5).get("a", 6, 7),
                        3),
                Arguments.of(
                        "one write of unknown outcome shows twice",
                        script().add(Kind.PUT, "a", 1, 3, Outcome.UNKNOWN)
                                .put("b", 4, 5)
                                .get("a", 6, 7)
                                .get("b", 8, 9),
                        4),
                Arguments.of(
                        "one write shows before and after another one",
                        script().put("a", 1, 20)
                                .put("b", 2, 21)
                                .get("a", 3, 4)
                                .get("b", 5, 6)
                                .get("a", 7, 8),
                        5),
                Arguments.of(
                        "one deletion shows before and after a put",
                        script().put("a", 1, 2)
                                .delete(3, 20)
                                .put("b", 3, 20)
                                .get("a", 4, 5)
                                .get(null, 6, 7)
                                .get("b", 8, 9)
                                .get(null, 10, 11),
                        3),
                Arguments.of(
                        "two deletions that end together are both over",
                        script().delete(4, 6)
                                .delete(5, 6)
                                .add(Kind.PUT, "a", 6, 7, Outcome.UNKNOWN)
                                .get("a", 7, 7)
                                .get(null, 8, 9),
                        3),
                Arguments.of(
                        "a deletion of unknown outcome shows twice",
                        script().add(Kind.DELETE, null, 1, 2, Outcome.UNKNOWN)
                                .put("a", 3, 4)
                                .get(null, 5, 6)
                                .put("b", 7, 8)
                                .get(null, 9, 10),
                        2),
                Arguments.of(
                        "a put is over while the key has another value",
                        script().put("a", 1, 20).get("a", 2, 3).put("b", 4, 5).get("a", 6, 7),
                        4));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("inversions")
    void history_ofRegularRegisterOnly_namesRuleAndOperations(
            String what, Script script, int evidence) {
        assertThat(HistoryCheck.judge(script.operations()).isClean()).as(what).isTrue();
        assertThat(violationsOf(script))
                .singleElement()
                .satisfies(
                        violation -> {
                            assertThat(violation.rule()).isEqualTo(Rule.ONE_MOMENT);
                            assertThat(violation.operations()).hasSize(evidence);
                        });
        assertThat(new HistoryOracle(script.operations()).isExplained(RegisterKind.ATOMIC))
                .isFalse();
    }

    @Test
    void history_thatIsNotEvenRegular_namesThatRule() {
        var lost = script().put("a", 1, 2).put("b", 3, 4).get("a", 5, 6);
        assertThat(violationsOf(lost)).extracting(Violation::rule).containsExactly(Rule.LOST);
    }

    @Test
    void judge_manyOperationsOnOneKey_findsTheOneInversion() {
        var operations = new ArrayList<Operation>();
        for (var i = 0; i < 50_000; i++) {
            var time = i * 10L;
            var isDeletion = i % 3 == 0;
            var value = isDeletion ? null : "v" + i;
            operations.add(operation(isDeletion ? Kind.DELETE : Kind.PUT, value, time, time + 9));
            operations.add(operation(Kind.GET, value, time + 1, time + 12));
        }
        assertThat(HistoryCheck.judge(operations, RegisterKind.ATOMIC).isClean()).isTrue();
        var last = 10L * 50_000;
        operations.add(operation(Kind.PUT, "last", last, last + 9));
        operations.add(operation(Kind.GET, "last", last + 1, last + 2));
        operations.add(operation(Kind.GET, "v49999", last + 3, last + 4));
        assertThat(HistoryCheck.judge(operations).isClean()).isTrue();
        assertThat(HistoryCheck.judge(operations, RegisterKind.ATOMIC).violations())
                .extracting(Violation::key, Violation::rule)
                .containsExactly(tuple("k", Rule.ONE_MOMENT));
    }

    private static Operation operation(Kind kind, String value, long start, long end) {
        return new Operation(kind, "k", value, "node-1", start, end, Outcome.OK, "");
    }

    private static List<Violation> violationsOf(Script script) {
        return HistoryCheck.judge(script.operations(), RegisterKind.ATOMIC).violations();
    }
}
