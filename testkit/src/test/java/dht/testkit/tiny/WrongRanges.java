package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;
import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.tiny.TinyRequest.Fault;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Servers with faults in ranges. */
final class WrongRanges {
    private WrongRanges() {}

    static Stream<Wrong> all() {
        return Stream.of(entries(), bounds(), chunks(), lengths(), moments()).flatMap(List::stream);
    }

    private static List<Wrong> entries() {
        return List.of(
                server(
                        "keys are ordered as strings",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    Map<String, byte[]> entries(
                                            String start, Optional<String> end) {
                                        return new TreeMap<>(super.entries(start, end)) {
                                            private static final long serialVersionUID = 1L;
                                        };
                                    }
                                },
                        "range_ofAnyKeys_isInOrderOfUnsignedBytes"),
                server(
                        "a range ends after a thousand entries",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    Map<String, byte[]> entries(
                                            String start, Optional<String> end) {
                                        var some = new LinkedHashMap<String, byte[]>();
                                        super.entries(start, end).entrySet().stream()
                                                .limit(1000)
                                                .forEach(
                                                        entry ->
                                                                some.put(
                                                                        entry.getKey(),
                                                                        entry.getValue()));
                                        return some;
                                    }
                                },
                        "range_ofManyEntries_isComplete"),
                server(
                        "an entry is sent once for each time that it was written",
                        RememberingServer::new,
                        "range_afterOverwrites_hasEachKeyOnce"),
                server(
                        "deleted entries are sent with an empty value",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer delete(String key) throws IOException {
                                        store().put(key, new byte[0]);
                                        return TinyAnswer.of(202, new byte[0]);
                                    }
                                },
                        "range_afterDeletes_hasOnlyLiveEntries",
                        "range_ofNothing_is200WithoutBytes"));
    }

    /** Sends each entry as many times as it was put. */
    private static final class RememberingServer extends TinyServer {
        private final Map<String, Integer> puts = new java.util.concurrent.ConcurrentHashMap<>();

        RememberingServer(dht.testkit.node.NodeSpec node) {
            super(node);
        }

        @Override
        TinyAnswer put(String key, byte[] value) throws IOException {
            puts.merge(key, 1, Integer::sum);
            return super.put(key, value);
        }

        @Override
        byte[] chunk(String key, byte[] value) {
            var out = new ByteArrayOutputStream();
            for (var i = 0; i < puts.getOrDefault(key, 1); i++) {
                out.writeBytes(super.chunk(key, value));
            }
            return out.toByteArray();
        }
    }

    private static List<Wrong> bounds() {
        return List.of(
                server(
                        "a range includes its end",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    Map<String, byte[]> entries(
                                            String start, Optional<String> end) {
                                        return super.entries(start, end.map(key -> key + "\0"));
                                    }
                                },
                        "range_betweenAnyBounds_isHalfOpen",
                        "range_withEndAtOrBeforeStart_isEmpty"),
                server(
                        "a range excludes its start",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    Map<String, byte[]> entries(
                                            String start, Optional<String> end) {
                                        return super.entries(start + "\0", end);
                                    }
                                },
                        "range_betweenAnyBounds_isHalfOpen",
                        "range_withoutEnd_runsToTheLastKey"),
                server(
                        "an end before the start is an error",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer range(TinyRequest request) throws Fault {
                                        if (request.parameter("end").isPresent()
                                                && key(request, "end")
                                                                .compareTo(key(request, "start"))
                                                        <= 0) {
                                            return error(400, "end must be after start");
                                        }
                                        return super.range(request);
                                    }
                                },
                        "range_withEndAtOrBeforeStart_isEmpty"),
                server(
                        "an empty range is a 404",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer range(TinyRequest request) throws Fault {
                                        var answer = super.range(request);
                                        return answer.entries().orElseThrow().isEmpty()
                                                ? error(404, "nothing there")
                                                : answer;
                                    }
                                },
                        "range_ofNothing_is200WithoutBytes",
                        "request_ofEachKind_getsExactlyOneResponse"),
                server(
                        "the first parameter is the start, the second the end",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    Optional<String> parameter(TinyRequest request, String name) {
                                        var values =
                                                Stream.of(request.query().split("&", -1))
                                                        .map(
                                                                pair ->
                                                                        pair.substring(
                                                                                pair.indexOf('=')
                                                                                        + 1))
                                                        .toList();
                                        return Optional.of(values.get(name.equals("end") ? 1 : 0));
                                    }
                                },
                        "range_withParametersInAnyOrder_isTheSame"),
                server(
                        "the bounds of ack and from are not checked",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer range(TinyRequest request) {
                                        return TinyAnswer.range(Map.of());
                                    }
                                },
                        "range_withBadStart_returns400",
                        "range_withBadEnd_returns400"));
    }

    private static List<Wrong> chunks() {
        return List.of(
                server(
                        "a range has no terminating chunk",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void sendEntries(OutputStream out, Map<String, byte[]> entries)
                                            throws IOException {
                                        for (var entry : entries.entrySet()) {
                                            out.write(chunk(entry.getKey(), entry.getValue()));
                                        }
                                    }
                                },
                        "range_onKeptConnection_leavesItInStep",
                        "range_ofNothing_is200WithoutBytes"),
                server(
                        "a range has two terminating chunks",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void sendEntries(OutputStream out, Map<String, byte[]> entries)
                                            throws IOException {
                                        super.sendEntries(out, entries);
                                        out.write(TinyAnswer.chunk(new byte[0]));
                                    }
                                },
                        "range_onKeptConnection_leavesItInStep",
                        "range_pipelined_isAnsweredInOrder"),
                server(
                        "an empty value is sent without a line feed after its key",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    byte[] chunk(String key, byte[] value) {
                                        return value.length == 0
                                                ? TinyAnswer.chunk(key.getBytes(UTF_8))
                                                : super.chunk(key, value);
                                    }
                                },
                        "range_ofEmptyValue_isKeyAndNewline"),
                server(
                        "large entries are sent in several chunks",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    byte[] chunk(String key, byte[] value) {
                                        var entry = TinyAnswer.entry(key, value);
                                        if (entry.length < 1 << 20) {
                                            return TinyAnswer.chunk(entry);
                                        }
                                        var out = new ByteArrayOutputStream();
                                        out.writeBytes(
                                                TinyAnswer.chunk(Arrays.copyOf(entry, 1000)));
                                        out.writeBytes(
                                                TinyAnswer.chunk(
                                                        Arrays.copyOfRange(
                                                                entry, 1000, entry.length)));
                                        return out.toByteArray();
                                    }
                                },
                        "range_ofLargeValues_isOneChunkEach"),
                server(
                        "a range is not chunked",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer range(TinyRequest request) throws Fault {
                                        var out = new ByteArrayOutputStream();
                                        super.range(request)
                                                .entries()
                                                .orElseThrow()
                                                .forEach(
                                                        (key, value) ->
                                                                out.writeBytes(
                                                                        TinyAnswer.entry(
                                                                                key, value)));
                                        return TinyAnswer.of(200, out.toByteArray());
                                    }
                                },
                        "range_ofEmptyValue_isKeyAndNewline"));
    }

    private static List<Wrong> lengths() {
        return List.of(
                server(
                        "lengths are little-endian",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    byte[] entryWithLengths(byte[] key, byte[] value) {
                                        return ByteBuffer.allocate(8 + key.length + value.length)
                                                .order(ByteOrder.LITTLE_ENDIAN)
                                                .putInt(key.length)
                                                .put(key)
                                                .putInt(value.length)
                                                .put(value)
                                                .array();
                                    }
                                },
                        "range_ofKeysWithLineFeeds_isTakenApartByLengths"),
                server(
                        "a range has no lengths, whatever Accept asks for",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    boolean asksForLengths(TinyRequest request) {
                                        return false;
                                    }
                                },
                        "range_ofKeysWithLineFeeds_isTakenApartByLengths",
                        "rangeWithLengths_ofValuesOfAnySize_isOneChunkEach"),
                server(
                        "only the first media type of Accept is considered",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    boolean asksForLengths(TinyRequest request) {
                                        return request.values("Accept").stream()
                                                .findFirst()
                                                .orElse("")
                                                .startsWith("application/vnd.dht.entries");
                                    }
                                },
                        "range_whoseAcceptNamesLengthsAmongOthers_hasLengths"),
                server(
                        "a range has lengths if their media type is anywhere in Accept",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    boolean asksForLengths(TinyRequest request) {
                                        return String.join(",", request.values("Accept"))
                                                .contains("application/vnd.dht.entries");
                                    }
                                },
                        "range_whoseAcceptDoesNotNameLengths_isText"));
    }

    private static List<Wrong> moments() {
        return List.of(
                server(
                        "a range shows each entry as it is when it is sent",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void sendEntries(OutputStream out, Map<String, byte[]> entries)
                                            throws IOException {
                                        for (var key : entries.keySet()) {
                                            LockSupport.parkNanos(20_000);
                                            var value = store().get(key);
                                            if (value.isPresent()) {
                                                out.write(chunk(key, value.get()));
                                            }
                                        }
                                        out.write(TinyAnswer.chunk(new byte[0]));
                                    }
                                },
                        "range_whileAllIsRewritten_showsWhatWasThere",
                        "range_underAWriter_showsOneMoment"));
    }
}
