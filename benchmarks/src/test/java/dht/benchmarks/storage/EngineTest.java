package dht.benchmarks.storage;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is compared must do the same. */
class EngineTest {
    @TempDir private Path directory;

    @ParameterizedTest
    @EnumSource(Engine.Kind.class)
    void engine_ofAnyKind_keepsOrdersAndFinds(Engine.Kind kind) throws IOException {
        try (Engine engine = kind.open(directory)) {
            for (int i = 0; i < 1000; i++) {
                engine.put(key(i), new byte[i % 7]);
            }
            engine.put(key(500), new byte[100]);
            check(engine);
            engine.settle();
            check(engine);
        }
    }

    private static void check(Engine engine) throws IOException {
        assertThat(engine.get(key(13))).hasSize(13 % 7);
        assertThat(engine.get(key(500))).hasSize(100);
        assertThat(engine.get(key(1000))).isNull();
        assertThat(engine.range(key(498), 4)).isEqualTo(498 % 7 + 499 % 7 + 100 + 501 % 7);
        assertThat(engine.range(key(999), 4)).isEqualTo(999 % 7);
    }

    private static byte[] key(int number) {
        return "key%09d".formatted(number).getBytes(US_ASCII);
    }
}
