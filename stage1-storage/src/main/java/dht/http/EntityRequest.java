package dht.http;

import java.lang.foreign.MemorySegment;

/** A well-formed request for one entity. Immutable. */
public sealed interface EntityRequest {
    /** 1 to 1024 bytes of UTF-8. */
    byte[] key();

    /**
     * The HTTP request, for parameters and headers that only later stages use. Null if this node
     * itself makes the request.
     */
    HttpRequest http();

    /**
     * How many nodes hold the version that this request writes; 0 if the request does not say it.
     *
     * <p>Seam: stage 4 passes it on to the nodes that store the version.
     */
    default int from() {
        return 0;
    }

    record Get(byte[] key, HttpRequest http) implements EntityRequest {}

    /**
     * @param body the value. It may also be read after the answer. Its bytes count in the memory of
     *     connections until the request is answered. Code that needs the value for longer must
     *     first take its bytes from another {@link MemoryBudget}. If that fails, it must not answer
     *     yet
     */
    record Put(byte[] key, OwnedBytes body, HttpRequest http, int from) implements EntityRequest {
        public Put(byte[] key, OwnedBytes body, HttpRequest http) {
            this(key, body, http, 0);
        }

        /** The value, read-only. */
        public MemorySegment value() {
            return body.segment();
        }
    }

    record Delete(byte[] key, HttpRequest http, int from) implements EntityRequest {
        public Delete(byte[] key, HttpRequest http) {
            this(key, http, 0);
        }
    }

    /**
     * The same write, with the number of nodes that hold its version. A read is returned unchanged.
     */
    default EntityRequest withFrom(int count) {
        return switch (this) {
            case Put put -> new Put(put.key(), put.body(), put.http(), count);
            case Delete delete -> new Delete(delete.key(), delete.http(), count);
            case Get get -> get;
        };
    }

    /** The length of the value in the request; 0 if there is none. */
    default long valueBytes() {
        return this instanceof Put put ? put.body().byteSize() : 0;
    }
}
