package dht.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;

/**
 * A request on its way out: a head of its own, and a body that it shares with others. Not
 * thread-safe.
 */
final class RequestBuffers {
    private final ByteBuffer head;
    private final ByteBuffer[] bodies;
    private final ByteBuffer[] headAndBody = new ByteBuffer[2];
    private boolean hasBody;

    RequestBuffers(int headBytesMax, ByteBuffer[] bodies) {
        this.head = ByteBuffer.allocateDirect(headBytesMax);
        this.bodies = bodies;
        this.headAndBody[0] = head;
    }

    ByteBuffer head() {
        return head;
    }

    void withBody(int index) {
        headAndBody[1] = bodies[index].rewind();
        hasBody = true;
    }

    void withoutBody() {
        hasBody = false;
    }

    /** Writes as much as the channel takes now, and answers whether that was all. */
    boolean writeTo(GatheringByteChannel channel) throws IOException {
        if (!hasBody) {
            channel.write(head);
            return !head.hasRemaining();
        }
        channel.write(headAndBody);
        return !headAndBody[1].hasRemaining();
    }
}
