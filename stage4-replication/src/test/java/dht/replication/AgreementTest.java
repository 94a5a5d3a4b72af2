package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.ReadOutcome;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgreementTest {
    /** {@code v10} is a value, {@code d10} a tombstone, {@code -} nothing, {@code x} a failure. */
    private static ReadAnswer answer(String text) {
        if (text.equals("x")) {
            return new ReadAnswer.Failed(new ReplicaFailure("http://n:1", "refused"));
        }
        if (text.equals("-")) {
            return new ReadAnswer.Looked(ReadOutcome.Absent.INSTANCE);
        }
        long stamp = Long.parseLong(text.substring(1));
        return new ReadAnswer.Looked(
                text.startsWith("d")
                        ? new ReadOutcome.Deleted(stamp)
                        : new ReadOutcome.Found(MemorySegment.NULL, stamp, () -> {}));
    }

    private static Agreement of(String answers) {
        Agreement agreement = new Agreement();
        for (String each : answers.split(" ")) {
            agreement.add(answer(each));
        }
        return agreement;
    }

    @ParameterizedTest
    @CsvSource({
        "v10 v20",
        "v20 v10",
        "v10 d10",
        "d10 d20",
        "- v10",
        "d10 -",
        "v10 v10 v9",
        "x - d1"
    })
    void answers_ofDifferentVersions_areTold(String answers) {
        assertThat(of(answers).tryTell()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"v10", "v10 v10", "d10 d10 d10", "- -", "x v10", "v10 x v10", "x x"})
    void answers_ofOneVersion_areNot(String answers) {
        assertThat(of(answers).tryTell()).isFalse();
    }

    @Test
    void difference_thatWasTold_isNotToldAgain() {
        Agreement agreement = of("v10 v20");
        assertThat(agreement.tryTell()).isTrue();
        agreement.add(answer("v30"));
        assertThat(agreement.tryTell()).isFalse();
    }
}
