package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.testkit.tiny.TinyRequest.Fault;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Servers with faults in finding the end of a request. */
final class WrongFraming {
    private WrongFraming() {}

    static Stream<Wrong> all() {
        return Stream.of(lengths(), chunks(), bodies(), heads(), expectations())
                .flatMap(List::stream);
    }

    private static List<Wrong> lengths() {
        return List.of(
                server(
                        "only the first number of Content-Length is used",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long bodyLength(TinyRequest request) {
                                        return request.values("Content-Length").stream()
                                                .map(value -> value.replaceAll("\\D", ""))
                                                .mapToLong(
                                                        digits ->
                                                                digits.isEmpty()
                                                                        ? 0
                                                                        : Long.parseLong(
                                                                                digits.substring(
                                                                                        0, 1)))
                                                .findFirst()
                                                .orElse(0);
                                    }
                                },
                        "contentLength_thatIsNoLength_returns400AndCloses",
                        "contentLength_givenTwice_returns400AndCloses",
                        "contentLength_besideTransferEncoding_returns400AndCloses",
                        "contentLength_beyondAnyNumber_isRefusedAndClosed"),
                server(
                        "two equal lengths are one",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    List<String> lengths(TinyRequest request) {
                                        return super.lengths(request).stream().distinct().toList();
                                    }
                                },
                        "contentLength_givenTwice_returns400AndCloses"),
                server(
                        "Transfer-Encoding is overlooked",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long bodyLength(TinyRequest request) throws Fault {
                                        return request.values("Transfer-Encoding").isEmpty()
                                                ? super.bodyLength(request)
                                                : 0;
                                    }
                                },
                        "contentLength_besideTransferEncoding_returns400AndCloses",
                        "chunkedBody_ofAnyChunking_isStoredExactly",
                        "chunkedBody_ofNoBytes_isStored",
                        "chunkedBody_withHexadecimalSize_isStoredExactly",
                        "chunkedBody_thatLooksLikeRequests_isOnlyABody",
                        "chunkedBody_thatIsMalformed_isRefusedAndClosed",
                        "transferEncoding_unknown_isRefusedAndClosed"),
                server(
                        "header names are case-sensitive",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long bodyLength(TinyRequest request) throws Fault {
                                        return request.headers().stream()
                                                        .anyMatch(
                                                                line ->
                                                                        line.startsWith(
                                                                                "Content-Length: "))
                                                ? super.bodyLength(request)
                                                : 0;
                                    }
                                },
                        "contentLength_inAnySpelling_isRead"),
                server(
                        "a put without Content-Length is a server error",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long bodyLength(TinyRequest request) throws Fault {
                                        if (request.method().equals("PUT")
                                                && request.values("Content-Length").isEmpty()) {
                                            throw new Fault(500, "null");
                                        }
                                        return super.bodyLength(request);
                                    }
                                },
                        "put_withoutContentLength_storesNoBytes"));
    }

    private static List<Wrong> chunks() {
        return List.of(
                server(
                        "chunks are refused",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long bodyLength(TinyRequest request) throws Fault {
                                        var length = super.bodyLength(request);
                                        if (length == CHUNKED) {
                                            throw new Fault(411, "the body needs a length");
                                        }
                                        return length;
                                    }
                                },
                        "chunkedBody_ofAnyChunking_isStoredExactly",
                        "chunkedBody_ofNoBytes_isStored",
                        "chunkedBody_withHexadecimalSize_isStoredExactly",
                        "chunkedBody_thatLooksLikeRequests_isOnlyABody"),
                server(
                        "sizes of chunks are decimal",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long chunkSize(String line) throws Fault {
                                        super.chunkSize(line);
                                        var digits = line.replaceFirst("[^0-9].*", "");
                                        return digits.isEmpty() ? 0 : Long.parseLong(digits);
                                    }
                                },
                        "chunkedBody_withHexadecimalSize_isStoredExactly"),
                server(
                        "a chunk has no extensions",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long chunkSize(String line) throws Fault {
                                        if (line.contains(";")) {
                                            throw new Fault(400, "malformed chunk size");
                                        }
                                        return super.chunkSize(line);
                                    }
                                },
                        "chunkedBody_ofAnyChunking_isStoredExactly"),
                server(
                        "trailers are the next request",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void readTrailers(InputStream in) {}
                                },
                        "chunkedBody_ofAnyChunking_isStoredExactly"),
                server(
                        "lines of chunks may end with LF alone",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    String withoutEnd(String line) {
                                        return line.stripTrailing();
                                    }
                                },
                        "chunkedBody_thatIsMalformed_isRefusedAndClosed"));
    }

    private static List<Wrong> bodies() {
        return List.of(
                server(
                        "one read from the socket is treated as the whole body",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    byte[] readBody(InputStream in, int length) throws IOException {
                                        var body = new byte[length];
                                        return length == 0
                                                ? body
                                                : Arrays.copyOf(body, Math.max(0, in.read(body)));
                                    }
                                },
                        "request_cutAtAnyByte_isAnsweredAsAWhole"),
                server(
                        "half an upload is stored",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    byte[] readBody(InputStream in, int length) throws IOException {
                                        return in.readNBytes(length);
                                    }
                                },
                        "client_thatEndsWithinARequest_storesNothing"),
                server(
                        "only puts have bodies",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long bodyLength(TinyRequest request) throws Fault {
                                        return request.method().equals("PUT")
                                                ? super.bodyLength(request)
                                                : 0;
                                    }
                                },
                        "body_ofGetOrDelete_isPassedOver",
                        "method_otherThanKnownOnStatus_returns405WithAllow"),
                server(
                        "bodies are not read, so their bytes are the next request",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    byte[] readBody(InputStream in, int length) {
                                        return new byte[length];
                                    }
                                },
                        "body_thatLooksLikeRequests_isOnlyABody",
                        "connection_afterBadRequestsWithBodies_staysUsable"));
    }

    private static List<Wrong> heads() {
        return List.of(
                server(
                        "the length of heads has no limit",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    int headBytesMax() {
                                        return Integer.MAX_VALUE;
                                    }
                                },
                        "headers_tooMany_areRefused",
                        "header_withoutEnd_isRefusedAndClosed",
                        "requestLine_withoutEnd_isRefusedAndClosed"),
                server(
                        "a request may have at most ten headers",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyRequest parse(List<String> lines) throws Fault {
                                        if (lines.size() > 11) {
                                            throw new Fault(431, "too many headers");
                                        }
                                        return super.parse(lines);
                                    }
                                },
                        "headers_ofAnOrdinaryClient_areAccepted"),
                server(
                        "malformed header lines are ignored",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyRequest parse(List<String> lines) throws Fault {
                                        var kept = new ArrayList<>(lines.subList(0, 1));
                                        lines.stream()
                                                .skip(1)
                                                .filter(line -> line.matches("[!-9;-~]+:.*"))
                                                .forEach(kept::add);
                                        return super.parse(kept);
                                    }
                                },
                        "headerLine_thatIsMalformed_returns400AndCloses"),
                server(
                        "spaces before the colon of a header are removed",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyRequest parse(List<String> lines) throws Fault {
                                        return super.parse(
                                                lines.stream()
                                                        .map(line -> line.replaceFirst(" +:", ":"))
                                                        .toList());
                                    }
                                },
                        "headerLine_thatIsMalformed_returns400AndCloses"),
                server(
                        "schemes of URLs must be in lower case",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyRequest parse(List<String> lines) throws Fault {
                                        if (lines.getFirst().matches("\\S+ (?!http)(?i:http):.*")) {
                                            throw new Fault(400, "unknown scheme");
                                        }
                                        return super.parse(lines);
                                    }
                                },
                        "target_withSchemeAndHost_isReadInAnySpelling"),
                server(
                        "the path begins at the first slash after the scheme",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyRequest parse(List<String> lines) throws Fault {
                                        var line =
                                                lines.getFirst().replace("http://?", "http://h?");
                                        var cut = new ArrayList<>(lines);
                                        cut.set(0, line.replaceFirst("http://[^/ ]+", ""));
                                        return super.parse(cut);
                                    }
                                },
                        "target_withHostAndWithoutPath_isNotReadFromItsQuery"),
                server(
                        "garbage is not answered",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    boolean answerOutOfStep(OutputStream out, Fault fault) {
                                        return false;
                                    }
                                },
                        "garbage_ofAnyKind_isAnsweredOnceAndClosed",
                        "contentLength_thatIsNoLength_returns400AndCloses"),
                server(
                        "garbage doesn't end the connection",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    boolean answerOutOfStep(OutputStream out, Fault fault)
                                            throws IOException {
                                        super.answerOutOfStep(out, fault);
                                        return true;
                                    }
                                },
                        "garbage_ofAnyKind_isAnsweredOnceAndClosed",
                        "contentLength_besideTransferEncoding_returns400AndCloses"));
    }

    private static List<Wrong> expectations() {
        return List.of(
                server(
                        "Expect is overlooked",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void sendContinue(OutputStream out) {}
                                },
                        "expect_withBodyHeldBack_continuesThenStores",
                        "expect_withLargestBody_continuesThenStores"),
                server(
                        "Expect is refused",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyRequest parse(List<String> lines) throws Fault {
                                        var request = super.parse(lines);
                                        if (request.expectsContinue()) {
                                            throw new Fault(417, "no expectations");
                                        }
                                        return request;
                                    }
                                },
                        "expect_withBodyHeldBack_continuesThenStores",
                        "expect_withBodySentAtOnce_storesOnce",
                        "expect_withBadKey_returns400"),
                server(
                        "100 comes before the length is looked at",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    long bodyLength(TinyRequest request) throws Fault {
                                        var length = super.bodyLength(request);
                                        return request.expectsContinue()
                                                ? Math.min(length, valueBytesMax())
                                                : length;
                                    }
                                },
                        "expect_withTooLargeBody_returns413Instead"),
                server(
                        "100 comes twice",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void sendContinue(OutputStream out) throws IOException {
                                        out.write(
                                                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
                                                        .getBytes(ISO_8859_1));
                                    }
                                },
                        "expect_withBodyHeldBack_continuesThenStores",
                        "expect_withBodySentAtOnce_storesOnce"));
    }
}
