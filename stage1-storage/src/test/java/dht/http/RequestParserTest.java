package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestParserTest {
    private static final HttpOptions OPTIONS =
            new HttpOptions(
                    1,
                    10,
                    512,
                    10,
                    1000,
                    2000,
                    1,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    1,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1));

    private final MemoryBudget budget = new MemoryBudget(OPTIONS.connectionMemoryBytesMax());
    private final RequestParser parser = new RequestParser(OPTIONS, memoryOf(budget));

    private static ConnectionMemory memoryOf(MemoryBudget budget) {
        return new ConnectionMemory(budget, () -> {});
    }

    /** What a test wants to know of a request. */
    private record Seen(Method method, String path, String id, String body, boolean overBudget) {}

    private List<Seen> parse(String bytes, int stepBytes) throws RequestException {
        byte[] all = bytes.getBytes(ISO_8859_1);
        List<Seen> seen = new ArrayList<>();
        for (int from = 0; from < all.length; from += stepBytes) {
            int at = from;
            int to = Math.min(all.length, from + stepBytes);
            while (at < to) {
                at = parser.feed(all, at, to);
                if (parser.isDone()) {
                    seen.add(see());
                    parser.release();
                }
            }
        }
        return seen;
    }

    private Seen see() throws RequestException {
        HttpRequest request = parser.request();
        byte[] id = request.parameter("id");
        return new Seen(
                request.method(),
                request.path(),
                id == null ? null : new String(id, ISO_8859_1),
                new String(request.body().toArray(), ISO_8859_1),
                parser.isOverBudget());
    }

    private static final String PIPELINE =
            """
            \r
            GET /v0/entity?id=a HTTP/1.1\r
            Host: here\r
            \r
            PUT /v0/entity?id=b%20c HTTP/1.1\r
            content-length: 5\r
            \r
            12345PUT /v0/entity?x=1&id=d HTTP/1.1\r
            Transfer-Encoding: chunked\r
            \r
            3;name=value\r
            abc\r
            A\r
            defghijklm\r
            0\r
            Trailer: t\r
            \r
            DELETE /v0/entity?id=e HTTP/1.0

            """;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 10_000})
    void feed_anySplit_findsTheSameRequests(int stepBytes) throws RequestException {
        assertThat(parse(PIPELINE, stepBytes))
                .containsExactly(
                        new Seen(Method.GET, "/v0/entity", "a", "", false),
                        new Seen(Method.PUT, "/v0/entity", "b c", "12345", false),
                        new Seen(Method.PUT, "/v0/entity", "d", "abcdefghijklm", false),
                        new Seen(Method.DELETE, "/v0/entity", "e", "", false));
        assertThat(parser.isBetweenRequests()).isTrue();
    }

    @Test
    void feed_bodyOfAnythingButPut_isThrownAway() throws RequestException {
        String bytes =
                "GET /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyzPOST /b HTTP/1.1\r\nContent-Length: 1\r\n\r\nx";
        assertThat(parse(bytes, 5))
                .containsExactly(
                        new Seen(Method.GET, "/a", null, "", false),
                        new Seen(Method.OTHER, "/b", null, "", false));
    }

    @Test
    void feed_bodyBeyondBudget_isReadAndThrownAway() throws RequestException {
        assertThat(budget.tryTake(1500)).isTrue();
        String put =
                "PUT /v0/entity?id=a HTTP/1.1\r\nContent-Length: 600\r\n\r\n" + "x".repeat(600);
        assertThat(parse(put, 100))
                .containsExactly(new Seen(Method.PUT, "/v0/entity", "a", "", true));
        budget.giveBack(1500);
        assertThat(parse(put, 100))
                .containsExactly(new Seen(Method.PUT, "/v0/entity", "a", "x".repeat(600), false));
    }

    @Test
    void feed_bodyThatIsAnnounced_takesMemoryAsItArrives() throws RequestException {
        String head = "PUT /a HTTP/1.1\r\nContent-Length: 1000\r\n\r\n";
        parse(head, 100);
        assertThat(budget.takenBytes()).isEqualTo(head.length());
        parse("x".repeat(10), 1);
        assertThat(budget.takenBytes()).isBetween(head.length() + 10L, head.length() + 20L);
        assertThat(parse("x".repeat(990), 100)).hasSize(1);
        assertThat(budget.takenBytes()).isZero();
    }

    @Test
    void feed_bodyBeyondBudget_givesBackWhatItHeldAtOnce() throws RequestException {
        String head = "PUT /a HTTP/1.1\r\nContent-Length: 1000\r\n\r\n";
        parse(head + "x".repeat(500), 50);
        long others = OPTIONS.connectionMemoryBytesMax() - budget.takenBytes();
        assertThat(budget.tryTake(others)).isTrue();
        parse("x".repeat(450), 50);
        assertThat(budget.takenBytes()).isEqualTo(others + head.length());
    }

    @Test
    void feed_headBeyondBudget_isRefusedAndHoldsNothing() {
        assertThat(budget.tryTake(OPTIONS.connectionMemoryBytesMax() - 10)).isTrue();
        for (int step : new int[] {7, 1000}) {
            assertThatThrownBy(() -> parse("GET /v0/status HTTP/1.1\r\n\r\n", step))
                    .isInstanceOfSatisfying(
                            RequestException.class,
                            e ->
                                    assertThat(e.response().status())
                                            .isEqualTo(Status.SERVICE_UNAVAILABLE));
            parser.release();
            assertThat(budget.takenBytes()).isEqualTo(OPTIONS.connectionMemoryBytesMax() - 10);
        }
    }

    @Test
    void release_afterAnyBody_givesAllMemoryBack() throws RequestException {
        String chunk =
                "PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n"
                        + "x".repeat(1000)
                        + "\r\n0\r\n\r\n";
        String whole = "PUT /a HTTP/1.1\r\nContent-Length: 1000\r\n\r\n" + "x".repeat(1000);
        for (int i = 0; i < 20; i++) {
            assertThat(parse(chunk + whole, 77)).hasSize(2).noneMatch(Seen::overBudget);
        }
        assertThat(budget.tryTake(OPTIONS.connectionMemoryBytesMax())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage\r\n\r\n",
                "GET /\r\n\r\n",
                "GET / HTTP/2.0\r\n\r\n",
                "GET  / HTTP/1.1\r\n\r\n",
                "GET / x HTTP/1.1\r\n\r\n",
                "GET /\u0001 HTTP/1.1\r\n\r\n",
                " GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                "GET / HTTP/1.1\r\nname : value\r\n\r\n",
                "GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
                "GET / HTTP/1.1\r\n: value\r\n\r\n",
                "GET / HTTP/1.1\r\nname: nul\u0000\r\n\r\n",
                "PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                "PUT / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
                "PUT / HTTP/1.1\r\nContent-Length:\r\n\r\n",
                "PUT / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
                "PUT / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
                "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc",
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n111111111\r\n",
            })
    void feed_malformed_isRefusedWith400(String bytes) {
        assertThat(refusal(bytes)).isEqualTo(Status.BAD_REQUEST);
    }

    @Test
    void feed_tooLarge_isRefusedByWhatIsTooLarge() {
        assertThat(refusal("GET /" + "a".repeat(600) + " HTTP/1.1\r\n\r\n"))
                .isEqualTo(Status.BAD_REQUEST);
        assertThat(refusal("GET / HTTP/1.1\r\nA: " + "a".repeat(600)))
                .isEqualTo(Status.HEADERS_TOO_LARGE);
        assertThat(refusal("GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(11) + "\r\n"))
                .isEqualTo(Status.HEADERS_TOO_LARGE);
        assertThat(refusal("PUT / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n"))
                .isEqualTo(Status.CONTENT_TOO_LARGE);
        assertThat(refusal("PUT / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n"))
                .isEqualTo(Status.CONTENT_TOO_LARGE);
        assertThat(
                        refusal(
                                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n"
                                        + "x".repeat(1001)))
                .isEqualTo(Status.CONTENT_TOO_LARGE);
    }

    private static Status refusal(String bytes) {
        RequestParserTest fresh = new RequestParserTest();
        try {
            fresh.parse(bytes, 13);
        } catch (RequestException e) {
            return e.response().status();
        }
        return null;
    }

    /**
     * Whatever comes, the parser either goes on or refuses: it never breaks, and never keeps more
     * than it may.
     */
    @RepeatedTest(200)
    void feed_noise_neverBreaks(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        byte[] noise = PIPELINE.getBytes(ISO_8859_1);
        for (int i = random.nextInt(12); i >= 0; i--) {
            noise[random.nextInt(noise.length)] = (byte) random.nextInt(256);
        }
        try {
            parse(new String(noise, ISO_8859_1), 1 + random.nextInt(40));
        } catch (RequestException expected) {
            assertThat(expected.response().status().code()).isBetween(400, 499);
        }
    }

    @Test
    void takeContinueWanted_clientThatWaits_isToldOnce() throws RequestException {
        byte[] head =
                "PUT /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
                        .getBytes(ISO_8859_1);
        parser.feed(head, 0, head.length);
        assertThat(parser.takeContinueWanted()).isTrue();
        assertThat(parser.takeContinueWanted()).isFalse();
        assertThat(parser.isDone()).isFalse();
    }

    @Test
    void takeContinueWanted_bodyThatIsTooLarge_isNotAskedFor() {
        byte[] head =
                "PUT /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2000\r\n\r\n"
                        .getBytes(ISO_8859_1);
        assertThatThrownBy(() -> parser.feed(head, 0, head.length))
                .isInstanceOf(RequestException.class);
        assertThat(parser.takeContinueWanted()).isFalse();
    }

    @Test
    void persistence_followsVersionAndConnectionHeader() throws RequestException {
        assertThat(persistence("HTTP/1.1\r\n")).isEqualTo(Persistence.IMPLIED);
        assertThat(persistence("HTTP/1.1\r\nConnection: keep-alive, Close\r\n"))
                .isEqualTo(Persistence.CLOSE);
        assertThat(persistence("HTTP/1.0\r\n")).isEqualTo(Persistence.CLOSE);
        assertThat(persistence("HTTP/1.0\r\nCONNECTION: Keep-Alive\r\n"))
                .isEqualTo(Persistence.KEEP_ALIVE);
    }

    private static Persistence persistence(String versionAndHeaders) throws RequestException {
        RequestParser fresh = new RequestParser(OPTIONS, memoryOf(new MemoryBudget(1000)));
        byte[] bytes = ("GET / " + versionAndHeaders + "\r\n").getBytes(ISO_8859_1);
        fresh.feed(bytes, 0, bytes.length);
        return fresh.request().persistence();
    }
}
