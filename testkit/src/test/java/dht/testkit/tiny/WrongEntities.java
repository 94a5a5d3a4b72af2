package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Servers with faults in the values of keys. */
final class WrongEntities {
    private WrongEntities() {}

    static Stream<Wrong> all() {
        return Stream.of(statuses(), reads(), writes(), sizes()).flatMap(List::stream);
    }

    private static List<Wrong> statuses() {
        return List.of(
                server(
                        "status answers 204",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer status() {
                                        return TinyAnswer.of(204, new byte[0]);
                                    }
                                },
                        "status_get_returns200"),
                server(
                        "an absent key is an empty value",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer get(String key) {
                                        return store().get(key).isEmpty()
                                                ? TinyAnswer.of(200, new byte[0])
                                                : super.get(key);
                                    }
                                },
                        "get_ofKeyNeverWritten_returns404"),
                server(
                        "an empty value is a 404",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer get(String key) {
                                        var answer = super.get(key);
                                        return answer.body().length == 0
                                                ? error(404, "no such key")
                                                : answer;
                                    }
                                },
                        "put_ofEmptyValue_isReadAs200",
                        "put_ofEmptyValueOverAnother_isReadAs200"),
                server(
                        "a put answers 200",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        super.put(key, value);
                                        return TinyAnswer.of(200, new byte[0]);
                                    }
                                },
                        "put_ofNewKey_returns201AndIsRead"),
                server(
                        "a delete of an unknown key is a 404",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer delete(String key) throws IOException {
                                        return store().get(key).isPresent()
                                                ? super.delete(key)
                                                : error(404, "no such key");
                                    }
                                },
                        "delete_ofUnknownKey_returns202"));
    }

    private static List<Wrong> reads() {
        return List.of(
                server(
                        "a value is cached for ever once it was read",
                        node ->
                                new TinyServer(node) {
                                    private final Map<String, TinyAnswer> cache =
                                            new ConcurrentHashMap<>();

                                    @Override
                                    TinyAnswer get(String key) {
                                        return cache.computeIfAbsent(key, super::get);
                                    }
                                },
                        "put_ofKnownKey_replacesTheValue",
                        "put_onOneConnection_isReadOnAnother"),
                server(
                        "every tenth read is stale",
                        node ->
                                new TinyServer(node) {
                                    private final Map<String, TinyAnswer> before =
                                            new ConcurrentHashMap<>();
                                    private final AtomicInteger reads = new AtomicInteger();

                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        before.put(key, super.get(key));
                                        return super.put(key, value);
                                    }

                                    @Override
                                    TinyAnswer get(String key) {
                                        return reads.incrementAndGet() % 10 == 0
                                                ? before.getOrDefault(key, super.get(key))
                                                : super.get(key);
                                    }
                                },
                        "readers_duringOverwrites_neverSeeAnOlderValue",
                        "put_onOneConnection_isReadOnAnother"),
                server(
                        "a write cuts its key at a slash or a zero byte",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        return super.put(key.split("[/\0]", -1)[0], value);
                                    }
                                },
                        "write_ofOneKey_leavesItsNeighbours",
                        "id_ofControlCharacters_isReadBack"));
    }

    private static List<Wrong> writes() {
        return List.of(
                server(
                        "a delete deletes nothing",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer delete(String key) {
                                        return TinyAnswer.of(202, new byte[0]);
                                    }
                                },
                        "delete_ofKnownKey_returns202AndItIsGone",
                        "readers_duringPutsAndDeletes_seeTheValueOrNone"),
                server(
                        "a key that was deleted once is never found again",
                        node ->
                                new TinyServer(node) {
                                    private final Map<String, String> deleted =
                                            new ConcurrentHashMap<>();

                                    @Override
                                    TinyAnswer delete(String key) throws IOException {
                                        deleted.put(key, key);
                                        return super.delete(key);
                                    }

                                    @Override
                                    TinyAnswer get(String key) {
                                        return deleted.containsKey(key)
                                                ? error(404, "deleted")
                                                : super.get(key);
                                    }
                                },
                        "put_afterDelete_isReadAgain"),
                server(
                        "one write in ten is lost",
                        node ->
                                new TinyServer(node) {
                                    private final AtomicInteger writes = new AtomicInteger();

                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        return writes.incrementAndGet() % 10 == 0
                                                ? TinyAnswer.of(201, new byte[0])
                                                : super.put(key, value);
                                    }
                                },
                        "writers_ofDifferentKeys_loseNothing"),
                server(
                        "a value is stored in two steps",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        store().put(key, Arrays.copyOf(value, value.length / 2));
                                        LockSupport.parkNanos(1_000_000);
                                        return super.put(key, value);
                                    }
                                },
                        "writers_ofOneKey_leaveOneValueEntire",
                        "readers_duringPutsAndDeletes_seeTheValueOrNone"));
    }

    private static List<Wrong> sizes() {
        return List.of(
                server(
                        "a value ends at its first zero byte",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        var length = 0;
                                        while (length < value.length && value[length] != 0) {
                                            length++;
                                        }
                                        return super.put(key, Arrays.copyOf(value, length));
                                    }
                                },
                        "put_ofEveryByte_isReadExactly"),
                server(
                        "white space around values is dropped",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        var latin1 = java.nio.charset.StandardCharsets.ISO_8859_1;
                                        return super.put(
                                                key,
                                                new String(value, latin1).strip().getBytes(latin1));
                                    }
                                },
                        "put_ofValueThatLooksLikeHttp_isReadExactly",
                        "range_ofValuesThatLookLikeChunks_isExact"),
                server(
                        "the length of a value has 16 bits",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer put(String key, byte[] value) throws IOException {
                                        return super.put(
                                                key, Arrays.copyOf(value, value.length & 0xffff));
                                    }
                                },
                        "put_ofSizesAroundPowersOfTwo_isReadExactly",
                        "put_ofLargestValue_isReadExactly"),
                server(
                        "the limit for values is one byte too small",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long valueBytesMax() {
                                        return super.valueBytesMax() - 1;
                                    }
                                },
                        "put_ofLargestValue_isReadExactly",
                        "expect_withLargestBody_continuesThenStores"),
                server(
                        "a value that is too large is accepted",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long valueBytesMax() {
                                        return super.valueBytesMax() + 1;
                                    }
                                },
                        "put_ofTooLargeValue_returns413AndStoresNothing",
                        "put_ofTooLargeValue_keepsTheOldOne",
                        "expect_withTooLargeBody_returns413Instead"),
                server(
                        "Content-Length is narrowed to 32 bits",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long bodyLength(TinyRequest request) throws TinyRequest.Fault {
                                        return Math.max(0, (int) super.bodyLength(request));
                                    }
                                },
                        "put_ofAnnouncedSizeBeyondInt_returns413"));
    }
}
