package dht.testkit.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TranscriptTest {
    private final Transcript transcript =
            new Transcript("EntityContract.some_test", Promise.ABSENT_IS_404);

    @Test
    void failure_withExchanges_tellsPromisePageAndHowToAskAgain() {
        var connection = transcript.opened();
        transcript.asked(connection, "node-1", "curl -i 'http://127.0.0.1:1/v0/entity?id=k'");
        transcript.answered(connection, "200 OK, no bytes");
        transcript.note("node-1 is killed");
        assertThat(transcript.of(new Mismatch("status 404", "status 200"), "log line\n"))
                .isEqualTo(
                        """
                EntityContract.some_test
                  promise   GET of a key that was never written, or was deleted, answers 404.
                  read      docs/reference/http.md#entity
                  expected  status 404
                  got       status 200
                  what was asked (#n is the n-th connection of this test):
                    #1   node-1  curl -i 'http://127.0.0.1:1/v0/entity?id=k'
                    #1     => 200 OK, no bytes
                    --   node-1 is killed
                  the server printed last:
                    log line""");
    }

    @Test
    void failure_afterManyExchanges_keepsTheFirstAndTheLast() {
        for (var i = 1; i <= 1000; i++) {
            transcript.note("event " + i);
        }
        var text = transcript.of(new Mismatch("a", "b"), "");
        assertThat(text.lines()).hasSizeLessThan(30);
        assertThat(text)
                .contains("event 1\n", "event 4\n", "982 more", "event 987\n", "event 1000");
        assertThat(text).doesNotContain("event 5\n", "event 986\n");
    }

    @Test
    void failure_thatIsNoMismatch_isNamed() {
        assertThat(transcript.of(new IllegalStateException("odd"), ""))
                .contains("failed    java.lang.IllegalStateException: odd");
    }
}
