package dht.http;

import java.lang.foreign.MemorySegment;

/** A well-formed request for one entity. Immutable. */
public sealed interface EntityRequest {
    /** 1 to 1024 bytes of UTF-8. */
    byte[] key();

    /** The HTTP request, for parameters and headers that only later stages use. */
    HttpRequest http();

    record Get(byte[] key, HttpRequest http) implements EntityRequest {}

    /**
     * @param body the value, which may be read also after the answer. Its bytes count in the memory
     *     of connections until the request is answered. Code that needs the value for longer must
     *     first take its bytes from another {@link MemoryBudget}. If that fails, it must not answer
     *     yet
     */
    record Put(byte[] key, OwnedBytes body, HttpRequest http) implements EntityRequest {
        /** The value, read-only. */
        public MemorySegment value() {
            return body.segment();
        }
    }

    record Delete(byte[] key, HttpRequest http) implements EntityRequest {}

    /** The length of the value in the request; 0 if there is none. */
    default long valueBytes() {
        return this instanceof Put put ? put.body().byteSize() : 0;
    }
}
