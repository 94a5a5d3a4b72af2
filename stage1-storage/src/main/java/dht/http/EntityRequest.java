package dht.http;

import java.lang.foreign.MemorySegment;

/** A well-formed request for one entity. Immutable. */
public sealed interface EntityRequest {
    /** 1 to 1024 bytes of UTF-8. */
    byte[] key();

    /** The request as it came, for parameters and headers that only later stages know. */
    HttpRequest http();

    record Get(byte[] key, HttpRequest http) implements EntityRequest {}

    /**
     * @param body the value, which may be read also after the answer. Its bytes count in the memory
     *     of connections until the request is answered. Code that keeps the value for longer first
     *     takes the bytes from a {@link MemoryBudget} of its own, and without them must not answer
     *     yet
     */
    record Put(byte[] key, OwnedBytes body, HttpRequest http) implements EntityRequest {
        /** To read the value; read-only. */
        public MemorySegment value() {
            return body.segment();
        }
    }

    record Delete(byte[] key, HttpRequest http) implements EntityRequest {}

    /** Bytes of the value that it brings. */
    default long valueBytes() {
        return this instanceof Put put ? put.body().byteSize() : 0;
    }
}
