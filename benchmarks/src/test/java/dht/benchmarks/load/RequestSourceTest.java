package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestSourceTest {
    private static final RequestTemplate.Maker TEMPLATES =
            new RequestTemplate.Maker("127.0.0.1:8080", "");

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 10", "3, 10", "4, 10", "10, 10", "7, 1000"})
    void keySpaces_ofAllThreads_areDistinctAndCoverAll(int threads, int keys) {
        Set<Long> seen = new HashSet<>();
        for (int thread = 0; thread < threads; thread++) {
            KeySpace space = new KeySpace(KeyNumbers.below(keys), thread, threads);
            for (long place = 0; place < space.size(); place++) {
                assertThat(seen.add(space.number(place))).isTrue();
            }
        }
        assertThat(seen).hasSize(keys).allMatch(number -> number >= 0 && number < keys);
    }

    @Test
    void put_ofAKey_isAWholeRequest() throws IOException {
        WorkloadSettings settings = Loads.settings("KEYS", "1", "VALUE_BYTES", "3");
        assertThat(requests(Workload.PUT, settings, 0, 1, 1).getFirst())
                .matches(
                        "PUT /v0/entity\\?id=key000000000 HTTP/1\\.1\r\n"
                                + "Host: 127\\.0\\.0\\.1:8080\r\n"
                                + "Content-Length: 3\r\n\r\n[a-z]{3}");
    }

    @Test
    void requestsForAKey_withReplicas_askForThem() throws IOException {
        WorkloadSettings settings = Loads.settings("KEYS", "1", "REPLICAS", "2/3", "MISSES", "1");
        assertThat(requests(Workload.PUT, settings, 0, 1, 1).getFirst())
                .startsWith("PUT /v0/entity?id=key000000000&replicas=2/3 HTTP/1.1\r\n");
        assertThat(requests(Workload.GET, settings, 0, 1, 1).getFirst())
                .startsWith("GET /v0/entity?id=key000000000x&replicas=2/3 HTTP/1.1\r\n");
        assertThat(requests(Workload.RANGE, settings, 0, 1, 1).getFirst())
                .doesNotContain("replicas");
    }

    @Test
    void status_always_isTheSame() throws IOException {
        assertThat(requests(Workload.STATUS, Loads.settings(), 0, 1, 2))
                .containsOnly("GET /v0/status HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n");
    }

    @Test
    void values_ofARun_differAndHaveTheirLength() throws IOException {
        WorkloadSettings settings = Loads.settings("VALUE_BYTES", "3000");
        Set<String> values = new HashSet<>();
        for (String request : requests(Workload.PUT, settings, 0, 1, 32)) {
            values.add(request.substring(request.indexOf("\r\n\r\n") + 4));
        }
        assertThat(values).hasSize(16).allMatch(value -> value.matches("[a-z]{3000}"));
    }

    @Test
    void get_withMisses_asksForAsManyMissingKeys() throws IOException {
        WorkloadSettings settings = Loads.settings("MISSES", "0.25");
        List<String> requests = requests(Workload.GET, settings, 0, 1, 10_000);
        assertThat(requests).allMatch(line -> line.matches("(?s)GET \\S+key\\d{9}x? .*"));
        assertThat(requests.stream().filter(line -> line.contains("x HTTP")))
                .hasSizeBetween(2300, 2700);
    }

    @Test
    void mixed_withAReadShare_readsAsOften() throws IOException {
        WorkloadSettings settings = Loads.settings("READ_SHARE", "0.9");
        List<String> requests = requests(Workload.MIXED, settings, 0, 1, 10_000);
        assertThat(requests.stream().filter(line -> line.startsWith("GET")))
                .hasSizeBetween(8800, 9200);
    }

    @Test
    void range_nearTheEnd_keepsItsLength() throws IOException {
        WorkloadSettings settings = Loads.settings("KEYS", "12", "RANGE_LENGTH", "10");
        Set<String> lines = new HashSet<>();
        for (String request : requests(Workload.RANGE, settings, 0, 1, 200)) {
            lines.add(request.substring(0, request.indexOf(" HTTP")));
        }
        assertThat(lines)
                .containsExactlyInAnyOrder(
                        "GET /v0/entities?start=key000000000&end=key000000010",
                        "GET /v0/entities?start=key000000001&end=key000000011",
                        "GET /v0/entities?start=key000000002&end=key000000012");
    }

    /** The scripts for wrk2 are held to the same file. */
    @Test
    void requests_ofASeed_areThoseOfTheScripts() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Distribution distribution : Distribution.values()) {
            for (Workload workload :
                    List.of(Workload.PUT, Workload.GET, Workload.MIXED, Workload.RANGE)) {
                WorkloadSettings settings =
                        Loads.settings(
                                "KEYS", "1000",
                                "VALUE_BYTES", "8",
                                "DISTRIBUTION", distribution.toString(),
                                "SEED", "7",
                                "READ_SHARE", "0.5",
                                "RANGE_LENGTH", "20",
                                "MISSES", "0.2");
                for (int thread = 0; thread < 3; thread++) {
                    for (String request : requests(workload, settings, thread, 3, 8)) {
                        String line = request.substring(0, request.indexOf(" HTTP"));
                        String body = request.substring(request.indexOf("\r\n\r\n") + 4);
                        lines.add(
                                "%s %s %d %s%s"
                                        .formatted(
                                                distribution,
                                                workload,
                                                thread,
                                                line,
                                                body.isEmpty() ? "" : " " + body));
                    }
                }
            }
        }
        assertThat(lines).isEqualTo(resourceLines("requests.txt"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "KEYS=0",
                "KEYS=2",
                "KEYS=x",
                "KEYS=90000001",
                "VALUE_BYTES=-1",
                "VALUE_BYTES=16777217",
                "DISTRIBUTION=normal",
                "SEED=2147483648",
                "READ_SHARE=1.1",
                "READ_SHARE=",
                "RANGE_LENGTH=0",
                "RANGE_LENGTH=100001",
                "MISSES=all",
                "REPLICAS=two of three",
                "PART=all",
                "PART=4/3",
                "PART=0/3",
                "THREADS=4"
            })
    void settings_outOfBounds_areRefusedByName(String setting) {
        int equals = setting.indexOf('=');
        Map<String, String> environment =
                Map.of(setting.substring(0, equals), setting.substring(equals + 1));
        assertThatThrownBy(() -> WorkloadSettings.of(environment, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(setting);
    }

    @Test
    void settings_ofAPart_numberItsThreadsAmongThoseOfAllParts() {
        WorkloadSettings.Part alone = WorkloadSettings.of(Map.of(), 4).part();
        WorkloadSettings.Part part = WorkloadSettings.of(Map.of("PART", "2/3"), 4).part();

        assertThat(List.of(alone.firstThread(4), alone.allThreads(4))).containsExactly(0, 4);
        assertThat(List.of(part.firstThread(4), part.allThreads(4))).containsExactly(4, 12);
    }

    @ParameterizedTest
    @CsvSource({"0, 3|99|1000", "1, 17|500"})
    void requests_forListedKeys_askForThoseOfTheirThread(
            int thread, String owned, @TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("keys"), "3\n17\n99\n500\n1000\n");
        WorkloadSettings settings = Loads.settings("KEY_NUMBERS", file.toString());
        for (Workload workload : List.of(Workload.GET, Workload.PUT, Workload.RANGE)) {
            assertThat(requests(workload, settings, thread, 2, 100))
                    .allSatisfy(
                            request ->
                                    assertThat(request)
                                            .containsPattern("=key0{5,}(" + owned + ")\\b"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'1\\n2\\n', lists 2 keys for 3 threads",
        "'1\\nx\\n3\\n', line 2 is not a number below 90000000",
        "'1\\n2\\n90000000\\n', line 3 is not a number below 90000000",
        ", cannot be read"
    })
    void keyNumbers_thatAreNone_areRefused(String content, String complaint, @TempDir Path folder)
            throws IOException {
        Path file = folder.resolve("keys");
        if (content != null) {
            Files.writeString(file, content.replace("\\n", "\n"));
        }
        assertThatThrownBy(() -> WorkloadSettings.of(Map.of("KEY_NUMBERS", file.toString()), 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("KEY_NUMBERS=" + file)
                .hasMessageContaining(complaint);
    }

    private static List<String> requests(
            Workload workload, WorkloadSettings settings, int thread, int threads, int count)
            throws IOException {
        KeySpace keys = new KeySpace(settings.keys(), thread, threads);
        RequestSource source = new RequestSource(workload, settings, keys, TEMPLATES);
        RequestBuffers buffers = source.newBuffers();
        List<String> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            source.next(buffers);
            Sink sink = new Sink();
            while (!buffers.writeTo(sink)) {
                // A channel takes what it can.
            }
            requests.add(sink.bytes.toString(ISO_8859_1));
        }
        return requests;
    }

    static List<String> resourceLines(String name) throws IOException {
        try (InputStream in = RequestSourceTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), UTF_8).lines().toList();
        }
    }

    /** Takes a few bytes at a time. */
    private static final class Sink implements GatheringByteChannel {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final WritableByteChannel channel = Channels.newChannel(bytes);

        @Override
        public int write(ByteBuffer source) throws IOException {
            int count = Math.min(source.remaining(), 7);
            channel.write(source.slice(source.position(), count));
            source.position(source.position() + count);
            return count;
        }

        @Override
        public long write(ByteBuffer[] sources) throws IOException {
            for (ByteBuffer source : sources) {
                if (source.hasRemaining()) {
                    return write(source);
                }
            }
            return 0;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
