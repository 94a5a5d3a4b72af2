package dht.testkit.allocation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.testkit.http.Response;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The writes of one key: the last one that was acknowledged, and those whose outcome is not known.
 * Writes of a key follow each other. But a write without an answer may still be under way when the
 * next one is acknowledged, and then win over it. For one thread at a time.
 */
final class KeyRecord {
    /** A value or, with a negative size, no value. */
    record Version(String key, int number, int bytes) {
        private static final int NONE = -1;

        boolean isValue() {
            return bytes != NONE;
        }

        /** The bytes of the value. They begin with the key and the number. */
        byte[] value() {
            byte[] value = new byte[bytes];
            new SplittableRandom(31L * key.hashCode() + number).nextBytes(value);
            byte[] head = "%s/%d/".formatted(key, number).getBytes(ISO_8859_1);
            System.arraycopy(head, 0, value, 0, Math.min(head.length, bytes));
            return value;
        }

        @Override
        public String toString() {
            return isValue() ? "no. %d of %,d bytes".formatted(number, bytes) : "none";
        }
    }

    private final String key;
    private final List<Version> unknown = new ArrayList<>();

    /** Writes without success that were sent before the acknowledged one. */
    private final List<Version> overtaken = new ArrayList<>();

    private Version acknowledged;
    private int lastNumber;

    KeyRecord(String key) {
        this.key = key;
        this.acknowledged = new Version(key, 0, Version.NONE);
    }

    String key() {
        return key;
    }

    /** Called before a value of this size is sent. */
    Version put(int bytes) {
        Version next = new Version(key, ++lastNumber, bytes);
        unknown.add(next);
        return next;
    }

    /** Called before a deletion is sent. */
    Version delete() {
        return put(Version.NONE);
    }

    /** Called when the last write is acknowledged. */
    void acknowledge() {
        acknowledged = unknown.removeLast();
        overtaken.addAll(unknown);
        unknown.clear();
    }

    /** Checks that an answer to a read has a value of this key, complete, or that there is none. */
    void expectAnyOf(Response read) {
        if (read.status() == 200) {
            versionOf(read.body());
        }
    }

    /** Checks that an answer to a read has the acknowledged version or a later one. */
    void expectNewest(Response read) {
        Version found =
                read.status() == 200 ? versionOf(read.body()) : new Version(key, 0, Version.NONE);
        boolean isAllowed =
                allowed()
                        .anyMatch(
                                version ->
                                        found.isValue()
                                                ? version.equals(found)
                                                : !version.isValue());
        if (!isAllowed) {
            throw new Mismatch(
                    "%s to have one of these versions, of which the first was acknowledged: %s"
                            .formatted(
                                    key,
                                    allowed()
                                            .map(Version::toString)
                                            .collect(Collectors.joining(", "))),
                    found.toString());
        }
    }

    private Stream<Version> allowed() {
        return Stream.of(List.of(acknowledged), unknown, overtaken).flatMap(List::stream);
    }

    /** Recognises a value that was sent before. */
    private Version versionOf(byte[] body) {
        String[] head = new String(body, 0, Math.min(body.length, 80), ISO_8859_1).split("/", 3);
        if (head.length == 3 && head[0].equals(key) && head[1].matches("\\d{1,9}")) {
            Version version = new Version(key, Integer.parseInt(head[1]), body.length);
            if (version.number() <= lastNumber && Arrays.equals(version.value(), body)) {
                return version;
            }
        }
        throw new Mismatch("a value that was sent for " + key, Preview.of(body));
    }
}
