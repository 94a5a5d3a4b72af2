package dht.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.Examples;
import dht.testkit.node.CommandLine;
import dht.testkit.node.CommandProcess;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.runner.Stage1Suite;
import dht.testkit.runner.SuiteRun;
import dht.testkit.runner.TestResult;
import dht.testkit.runner.TestResult.Outcome;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ContractExtensionTest {
    private static final NodeFactory NOTHING = InProcess.of(_ -> () -> {});

    /**
     * Tests that are run only by the tests below; the name of this class keeps Maven from finding
     * them.
     */
    static final class Samples implements Contract {
        private static final List<Long> RANDOM = new ArrayList<>();

        @Override
        public NodeFactory servers() {
            return NOTHING;
        }

        @Test
        @Verifies(Promise.STATUS_ANSWERS)
        void sample_ofRandomness() {
            RANDOM.add(random().nextLong());
            throw new AssertionError("see the seed");
        }

        @Test
        void sample_withoutPromise() {}

        @Test
        @Verifies(Promise.STATUS_ANSWERS)
        void sample_thatAssumes() {
            Assumptions.abort("not here");
        }
    }

    @Test
    void seed_givenAgain_repeatsTheRandomness() {
        Samples.RANDOM.clear();
        var transcript = transcript(runSample("sample_ofRandomness", "42"));
        runSample("sample_ofRandomness", "42");
        runSample("sample_ofRandomness", "43");
        assertThat(transcript).contains("failed    see the seed", "testkit.seed=42");
        assertThat(Samples.RANDOM.get(0))
                .isEqualTo(Samples.RANDOM.get(1))
                .isNotEqualTo(Samples.RANDOM.get(2));
    }

    @Test
    void test_withoutPromise_isRefused() {
        assertThat(transcript(runSample("sample_withoutPromise", "1")))
                .contains("sample_withoutPromise has no @Verifies");
    }

    @Test
    void test_thatAborts_isNotRun() {
        assertThat(runSample("sample_thatAssumes", "1").outcome())
                .isInstanceOfSatisfying(
                        Outcome.NotRun.class,
                        notRun -> assertThat(notRun.reason()).contains("not here"));
    }

    @Test
    void sharedServer_thatDiesAfterATest_isToldOnceAndReplaced() {
        var command = CommandLine.parse(Examples.wrongPython("dies_after_a_delete.py"));
        // The first of them ends with a delete; the server is noticed to be down then, or next.
        var three = Pattern.compile("put_ofLargestValue|put_ofNewKey|put_onOneConnection");
        var results =
                new SuiteRun(Stage1Suite.class, CommandProcess.of(command))
                        .only(three.asPredicate())
                        .run(_ -> {});
        assertThat(results).hasSize(3);
        assertThat(results)
                .filteredOn(result -> result.outcome() instanceof Outcome.Failed)
                .singleElement()
                .extracting(ContractExtensionTest::transcript)
                .asString()
                .contains("out of order");
        assertThat(results.getLast().outcome()).isEqualTo(new Outcome.Passed());
    }

    private static TestResult runSample(String name, String seed) {
        return new SuiteRun(Samples.class, NOTHING)
                .only(test -> test.endsWith("." + name))
                .parameter(ContractExtension.SEED, seed)
                .run(_ -> {})
                .getFirst();
    }

    private static String transcript(TestResult result) {
        return ((Outcome.Failed) result.outcome()).transcript();
    }
}
