package dht.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A set of entries whose keys have a unique prefix. They are stored on a server and recorded here.
 * So a test knows what a range over them must return, whatever else the server holds. For one
 * thread at a time.
 */
final class KeySpace {
    /** The order of keys that a server must use: byte by byte, unsigned. */
    private static final Comparator<String> BY_BYTES =
            Comparator.comparing(key -> key.getBytes(UTF_8), Arrays::compareUnsigned);

    private final ServerUnderTest server;
    private final String prefix;
    private final NavigableMap<String, byte[]> entries = new TreeMap<>(BY_BYTES);

    KeySpace(ServerUnderTest server) {
        this(server, Keys.unique());
    }

    KeySpace(ServerUnderTest server, String name) {
        this.server = server;
        this.prefix = name + "/";
    }

    /** A space of {@code count} entries, all with this value. */
    static KeySpace filled(ServerUnderTest server, int count, byte[] value) {
        var space = new KeySpace(server);
        for (var i = 0; i < count; i++) {
            space.put(numbered(i), value);
        }
        return space;
    }

    /** A suffix that sorts like its number. */
    static String numbered(int index) {
        return "%06d".formatted(index);
    }

    String key(String suffix) {
        return prefix + suffix;
    }

    void put(String suffix, byte[] value) {
        server.put(key(suffix), value).expectStatus(201);
        entries.put(key(suffix), value);
    }

    /** Writes an entry through another node, with its own quorum. */
    void put(ServerUnderTest node, String suffix, byte[] value, int ack, int from) {
        Replicas.put(node, key(suffix), value, ack, from).expectStatus(201);
        entries.put(key(suffix), value);
    }

    void delete(String suffix) {
        server.delete(key(suffix)).expectStatus(202);
        entries.remove(key(suffix));
    }

    /** The request for the range of this space: all its entries, and no others. */
    Request request() {
        return Request.get(target());
    }

    private String target() {
        return Target.entities(prefix, prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1));
    }

    /**
     * The same with another parameter.
     *
     * @param parameter such as {@code scope=cluster}
     */
    Request request(String parameter) {
        return Request.get(target() + "&" + parameter);
    }

    Response range() {
        return server.ask(request());
    }

    Response range(String start, String end) {
        return server.range(key(start), key(end));
    }

    /** The chunks that {@link #range()} must return. */
    List<byte[]> chunks() {
        return chunks(entries);
    }

    /** The chunks that {@link #range(String, String)} must return. */
    List<byte[]> chunks(String start, String end) {
        return chunks(entries.subMap(key(start), key(end)));
    }

    private static List<byte[]> chunks(Map<String, byte[]> entries) {
        return entries.entrySet().stream()
                .map(entry -> chunk(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** The chunks that {@link #request()} must return if it asks for lengths. */
    List<byte[]> chunksWithLengths() {
        return entries.entrySet().stream()
                .map(entry -> chunkWithLengths(entry.getKey().getBytes(UTF_8), entry.getValue()))
                .toList();
    }

    private static byte[] chunkWithLengths(byte[] key, byte[] value) {
        return ByteBuffer.allocate(2 * Integer.BYTES + key.length + value.length)
                .putInt(key.length)
                .put(key)
                .putInt(value.length)
                .put(value)
                .array();
    }

    /** The chunk of one entry. */
    static byte[] chunk(String key, byte[] value) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(key.getBytes(UTF_8));
        out.write('\n');
        out.writeBytes(value);
        return out.toByteArray();
    }
}
