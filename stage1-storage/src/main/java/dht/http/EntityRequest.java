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
     * @param value never changes, and is never used again for anything else: code that refers to it
     *     may read it, also after the answer. Its bytes count in the memory of connections until
     *     the request is answered. Code that keeps the value for longer first takes the bytes from
     *     a {@link MemoryBudget} of its own, and without them must not answer yet
     */
    record Put(byte[] key, MemorySegment value, HttpRequest http) implements EntityRequest {}

    record Delete(byte[] key, HttpRequest http) implements EntityRequest {}
}
