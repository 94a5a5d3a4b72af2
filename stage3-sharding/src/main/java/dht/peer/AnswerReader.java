package dht.peer;

import dht.http.MemoryBudget;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.TooLarge;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import one.nio.net.Socket;

/**
 * Reads answers of another node, one after the other: into a buffer that all share, or where a
 * value doesn't fit, into an array of its own.
 *
 * <p>Used by one thread at a time; any may ask how many bytes have come.
 */
final class AnswerReader {
    /** Less than from which on a value gets an array of its own. */
    static final int BUFFER_BYTES = 64 << 10;

    private final MemoryBudget memory;
    private final IntFunction<byte[]> arrays;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final AnswerHead head = new AnswerHead(buffer);
    private int filled;
    private boolean inStep;

    private volatile long receivedBytes;

    /**
     * @param memory of what doesn't fit into the buffer
     */
    AnswerReader(MemoryBudget memory) {
        this(memory, byte[]::new);
    }

    /**
     * @param arrays makes those
     */
    AnswerReader(MemoryBudget memory, IntFunction<byte[]> arrays) {
        this.memory = memory;
        this.arrays = arrays;
    }

    /**
     * Waits for an answer, and reads it.
     *
     * @throws IOException if the connection breaks, or is closed by another thread, or what comes
     *     is no answer
     */
    PeerAnswer receive(Socket socket) throws IOException {
        receivedBytes = 0;
        inStep = false;
        filled = 0;
        do {
            read(socket);
        } while (!head.parse(filled));
        int end = head.length() + head.bodyBytes();
        if (end > buffer.length) {
            return memory.tryTake(head.bodyBytes()) ? receiveLarge(socket) : new TooLarge();
        }
        while (filled < end) {
            read(socket);
        }
        inStep = !head.saysClose() && filled == end;
        MemorySegment body = MemorySegment.ofArray(buffer).asSlice(head.length(), head.bodyBytes());
        return new Answered(head.status(), head.timestampMicros(), body, () -> {});
    }

    /** Of the answer that is being read, or was the last. */
    long receivedBytes() {
        return receivedBytes;
    }

    /** Whether the connection is good for another answer. */
    boolean isInStep() {
        return inStep;
    }

    private PeerAnswer receiveLarge(Socket socket) throws IOException {
        int bodyBytes = head.bodyBytes();
        Answered answer = null;
        try {
            byte[] body = arrays.apply(bodyBytes);
            int received = filled - head.length();
            System.arraycopy(buffer, head.length(), body, 0, received);
            while (received < bodyBytes) {
                int length = socket.read(body, received, bodyBytes - received, 0);
                received += length;
                receivedBytes += length;
            }
            inStep = !head.saysClose();
            answer =
                    new Answered(
                            head.status(),
                            head.timestampMicros(),
                            MemorySegment.ofArray(body),
                            () -> memory.giveBack(bodyBytes));
            return answer;
        } catch (OutOfMemoryError e) { // This node's own want: the other is well.
            return new TooLarge();
        } finally {
            if (answer == null) {
                memory.giveBack(bodyBytes);
            }
        }
    }

    private void read(Socket socket) throws IOException {
        int length = socket.read(buffer, filled, buffer.length - filled, 0);
        filled += length;
        receivedBytes += length;
    }
}
