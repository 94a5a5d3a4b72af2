package dht.testkit.tiny;

import static dht.testkit.tiny.Wrong.server;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.tiny.TinyRequest.Fault;
import java.text.Normalizer;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Servers with faults in keys, methods and paths. */
final class WrongKeys {
    private WrongKeys() {}

    static Stream<Wrong> all() {
        return Stream.of(decoders(), validators(), parameters(), methods()).flatMap(List::stream);
    }

    private static List<Wrong> decoders() {
        return List.of(
                server(
                        "plus is decoded as in forms",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    String decode(String encoded) throws Fault {
                                        return super.decode(encoded.replace('+', ' '));
                                    }
                                },
                        "id_withPlus_keepsThePlus",
                        "range_withPlusInItsBounds_keepsThePlus"),
                server(
                        "keys are not decoded",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    String decode(String encoded) {
                                        return encoded;
                                    }
                                },
                        "id_percentEncodedInAnyWay_isTheSameKey"),
                server(
                        "keys are decoded twice",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    String decode(String encoded) throws Fault {
                                        return super.decode(super.decode(encoded));
                                    }
                                },
                        "id_withEncodedPercent_isDecodedOnce",
                        "id_ofReservedCharacters_isReadBack"),
                server(
                        "keys are normalized",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    String decode(String encoded) throws Fault {
                                        return Normalizer.normalize(
                                                super.decode(encoded), Normalizer.Form.NFC);
                                    }
                                },
                        "id_ofAnyScript_isReadBack"),
                server(
                        "bytes that are not encoded are Latin-1",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    String decode(String encoded) throws Fault {
                                        return encoded.contains("%")
                                                ? super.decode(encoded)
                                                : new String(
                                                        encoded.getBytes(ISO_8859_1), ISO_8859_1);
                                    }
                                },
                        "id_ofRawUtf8_isTheSameKeyOrRefused"));
    }

    private static List<Wrong> validators() {
        return List.of(
                server(
                        "malformed UTF-8 is replaced",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    String utf8(byte[] bytes) {
                                        return new String(bytes, UTF_8);
                                    }
                                },
                        "id_ofMalformedUtf8_returns400",
                        "range_withBadStart_returns400",
                        "range_withBadEnd_returns400"),
                server(
                        "percent-encoding accepts a sign before hexadecimal digits",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    int hexByte(String digits) throws Fault {
                                        try {
                                            return Integer.parseInt(digits, 16);
                                        } catch (NumberFormatException _) {
                                            throw new Fault(400, "malformed percent-encoding");
                                        }
                                    }
                                },
                        "id_ofMalformedPercentEncoding_returns400"),
                server(
                        "keys may be longer than allowed",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    int keyBytesMax() {
                                        return 1025;
                                    }
                                },
                        "id_of1025Bytes_returns400"),
                server(
                        "the length of a key is that of its encoded form",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    int keyLength(String encoded, String key) {
                                        return encoded.length();
                                    }
                                },
                        "id_of1024Bytes_isAKey"),
                server(
                        "keys need at least two bytes",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    int keyBytesMin() {
                                        return 2;
                                    }
                                },
                        "id_of1Byte_isAKey"),
                server(
                        "keys may be empty",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    int keyBytesMin() {
                                        return 0;
                                    }
                                },
                        "id_empty_returns400",
                        "range_withBadStart_returns400"));
    }

    private static List<Wrong> parameters() {
        return List.of(
                server(
                        "of two keys the first one counts",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    boolean isGivenTwice(TinyRequest request, String parameter) {
                                        return false;
                                    }
                                },
                        "id_givenTwice_returns400"),
                server(
                        "a parameter is found by the end of its name",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    Optional<String> parameter(TinyRequest request, String name) {
                                        var at = request.query().indexOf(name + "=");
                                        return at < 0
                                                ? Optional.empty()
                                                : Optional.of(
                                                        request.query()
                                                                .substring(at + name.length() + 1)
                                                                .split("&", -1)[0]);
                                    }
                                },
                        "id_missing_returns400",
                        "id_amongOtherParameters_isFound",
                        "range_withParametersInAnyOrder_isTheSame"),
                server(
                        "a parameter's value ends at an equals sign",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    Optional<String> parameter(TinyRequest request, String name) {
                                        return super.parameter(request, name)
                                                .map(value -> value.split("=", -1)[0]);
                                    }
                                },
                        "id_withReservedCharactersAsTheyAre_isTheSameKey"),
                server(
                        "errors are pages",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer error(int status, String message) {
                                        return TinyAnswer.of(
                                                        status,
                                                        "<html>\n<body>%s</body>\n</html>\n"
                                                                .formatted(message)
                                                                .getBytes(UTF_8))
                                                .header("Content-Type: text/plain; charset=utf-8");
                                    }
                                },
                        "error_ofABadRequest_isOneLineOfText",
                        "error_thatEndsTheConnection_isOneLineOfText"),
                server(
                        "errors have no charset",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer error(int status, String message) {
                                        return TinyAnswer.of(status, message.getBytes(UTF_8))
                                                .header("Content-Type: text/plain");
                                    }
                                },
                        "error_ofABadRequest_isOneLineOfText"));
    }

    private static List<Wrong> methods() {
        return List.of(
                server(
                        "every path is accepted",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer unknownPath() {
                                        return status();
                                    }
                                },
                        "path_unknown_returns400",
                        "path_unknownWithAnyMethod_returns400"),
                server(
                        "405 comes without Allow",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer notAllowed(String allowed) {
                                        return error(405, "not allowed");
                                    }
                                },
                        "method_otherThanKnownOnStatus_returns405WithAllow",
                        "method_otherThanKnownOnEntity_returns405WithAllow",
                        "method_otherThanKnownOnEntities_returns405WithAllow",
                        "method_head_returns405WithoutBody"),
                server(
                        "an unknown method is 501",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    TinyAnswer answer(TinyRequest request, byte[] body)
                                            throws Fault, java.io.IOException {
                                        return request.method().equals("BREW")
                                                ? error(501, "no tea here")
                                                : super.answer(request, body);
                                    }
                                },
                        "method_otherThanKnownOnStatus_returns405WithAllow",
                        "method_otherThanKnownOnEntity_returns405WithAllow",
                        "path_unknownWithAnyMethod_returns400"),
                server(
                        "HEAD gets a body",
                        node ->
                                new TinyServer(node) {
                                    @Override
                                    void send(
                                            java.io.OutputStream out,
                                            TinyRequest request,
                                            TinyAnswer answer)
                                            throws java.io.IOException {
                                        super.send(out, request, answer);
                                        if (request.method().equals("HEAD")) {
                                            out.write(answer.body());
                                            out.flush();
                                        }
                                    }
                                },
                        "method_head_returns405WithoutBody"));
    }
}
