package dht.testkit.transcript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dht.testkit.junit.Verifies;
import dht.testkit.runner.ShardingSuite;
import dht.testkit.runner.Stage2Suite;
import dht.testkit.runner.Stage4Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PromiseTest {
    private static final Path REPOSITORY = Path.of("..");

    @ParameterizedTest
    @EnumSource
    void promise_always_isASentenceWithAPageAndAnAnchor(Promise promise) {
        assertThat(promise.text()).matches("[A-Z].*\\.");
        assertThat(promise.page())
                .matches("docs/reference/(http|command-line)\\.md#[a-z][a-z0-9-]*");
    }

    @Test
    void promise_always_isKeptBySomeTest() {
        var kept =
                Stream.of(Stage2Suite.class, ShardingSuite.class, Stage4Suite.class)
                        .flatMap(suite -> Stream.of(suite.getMethods()))
                        .map(test -> test.getAnnotation(Verifies.class))
                        .filter(Objects::nonNull)
                        .map(Verifies::value);
        assertThat(kept).contains(Promise.values());
    }

    @ParameterizedTest
    @EnumSource
    void promise_withThePagesAtHand_isFoundThere(Promise promise) throws IOException {
        var parts = promise.page().split("#", -1);
        var page = REPOSITORY.resolve(parts[0]);
        assumeTrue(Files.exists(page), "no pages here: " + page);
        assertThat(Files.readString(page)).contains("{ #" + parts[1] + " }");
    }
}
