package dht.testkit.contract;

import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Connection;
import dht.testkit.http.NoAnswer;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import java.util.Arrays;

/**
 * Entries that are together larger than the memory of a server. The value of each entry can be
 * computed from its number, so a test keeps none of them. Immutable.
 */
final class SeededEntries {
    private final KeySpace space;
    private final int count;
    private final int valueBytes;

    private SeededEntries(KeySpace space, int count, int valueBytes) {
        this.space = space;
        this.count = count;
        this.valueBytes = valueBytes;
    }

    /** Stores one and a half times the memory of a server. */
    static SeededEntries largerThanMemory(ServerUnderTest server, int valueBytes) {
        var bytes = server.node().memoryBytesMax().orElseThrow() * 3 / 2;
        var entries =
                new SeededEntries(new KeySpace(server), (int) (bytes / valueBytes), valueBytes);
        for (var i = 0; i < entries.count; i++) {
            server.put(entries.key(i), entries.value(i)).expectStatus(201);
        }
        return entries;
    }

    /** The space of their keys. It does not know the entries: they would not fit into memory. */
    KeySpace space() {
        return space;
    }

    /** Checks a range, chunk by chunk. Keeps only one chunk in memory. */
    void expectFrom(Connection reader) {
        var chunks = reader.receiveChunkedHead().remainingChunks();
        for (var i = 0; i < count; i++) {
            var expected = KeySpace.chunk(key(i), value(i));
            if (!chunks.hasNext() || !Arrays.equals(chunks.next(), expected)) {
                var which =
                        "chunk %,d of %,d to be %s".formatted(i + 1, count, Preview.of(expected));
                throw new Mismatch(which, "another chunk, or the end");
            }
        }
        if (chunks.hasNext()) {
            throw new Mismatch("%,d chunks".formatted(count), "more");
        }
        reader.expectInStep();
    }

    /**
     * Checks the rest of a range. A server may cut off a slow client, but a range that ends
     * correctly must be complete.
     */
    void expectUnlessCutOff(Connection reader) {
        try {
            expectFrom(reader);
        } catch (NoAnswer cutOff) {
            if (!cutOff.isGone()) {
                throw cutOff;
            }
        }
    }

    private String key(int index) {
        return space.key(KeySpace.numbered(index));
    }

    private byte[] value(int index) {
        return Values.ofSize(valueBytes, index);
    }
}
