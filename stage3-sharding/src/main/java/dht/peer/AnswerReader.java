package dht.peer;

import dht.http.MemoryBudget;
import dht.http.OwnedBytes;
import dht.http.Status;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.TooLarge;
import dht.storage.ReadOutcome.Hold;
import java.io.IOException;
import java.util.function.IntFunction;
import one.nio.net.Socket;

/**
 * Reads another node's answers, one after the other. All heads are read into one buffer, each body
 * into its own array.
 *
 * <p>Used by one thread at a time. Any thread may read how many bytes were received.
 */
final class AnswerReader {
    /** A body of up to this size does not count in the memory limit. */
    static final int SMALL_BYTES_MAX = 64 << 10;

    private static final int HEAD_BYTES_MAX = 16 << 10;
    private static final Hold NOTHING = () -> {};

    private final MemoryBudget memory;
    private final IntFunction<byte[]> arrays;
    private final byte[] buffer = new byte[HEAD_BYTES_MAX];
    private final AnswerHead head = new AnswerHead(buffer);
    private int filled;
    private boolean reusable;

    private volatile long receivedBytes;

    /**
     * @param memory the memory limit for larger bodies
     */
    AnswerReader(MemoryBudget memory) {
        this(memory, byte[]::new);
    }

    /**
     * @param arrays creates the arrays for bodies
     */
    AnswerReader(MemoryBudget memory, IntFunction<byte[]> arrays) {
        this.memory = memory;
        this.arrays = arrays;
    }

    /**
     * Waits for an answer, and reads it completely.
     *
     * @return the answer; {@code TooLarge} if this node has no memory for its body
     * @throws IOException if the connection breaks, if another thread closes it, or if the node
     *     sends no valid answer
     */
    PeerAnswer receive(Socket socket) throws IOException {
        receivedBytes = 0;
        reusable = false;
        filled = 0;
        do {
            readHead(socket);
        } while (!head.parse(filled));
        try {
            return head.bodyBytes() <= SMALL_BYTES_MAX
                    ? receiveBody(socket, NOTHING)
                    : receiveLarge(socket, head.bodyBytes());
        } catch (OutOfMemoryError e) { // This node lacks memory; the other node is healthy.
            return TooLarge.INSTANCE;
        }
    }

    /** How many bytes were received since {@link #receive} was last called, head included. */
    long receivedBytes() {
        return receivedBytes;
    }

    /**
     * Whether the connection can be used for another request. This is so if the last answer was
     * read completely, its status is not 421, its head has no {@code Connection: close}, and no
     * more bytes were received than belong to it.
     */
    boolean isReusable() {
        return reusable;
    }

    private PeerAnswer receiveLarge(Socket socket, int bodyBytes) throws IOException {
        if (!memory.tryTake(bodyBytes)) {
            return TooLarge.INSTANCE;
        }
        PeerAnswer answer = null;
        try {
            answer = receiveBody(socket, () -> memory.giveBack(bodyBytes));
            return answer;
        } finally {
            if (answer == null) {
                memory.giveBack(bodyBytes);
            }
        }
    }

    private PeerAnswer receiveBody(Socket socket, Hold hold) throws IOException {
        byte[] body = arrays.apply(head.bodyBytes());
        int early = filled - head.length();
        int received = Math.min(early, body.length);
        System.arraycopy(buffer, head.length(), body, 0, received);
        while (received < body.length) {
            int length = socket.read(body, received, body.length - received, 0);
            received += length;
            receivedBytes += length;
        }
        OwnedBytes owned = OwnedBytes.takeOver(body);
        PeerAnswer answer = new Answered(head.status(), head.timestampMicros(), owned, hold);
        // Misdirected: a new connection may resolve the name again, and reach the right node.
        boolean isRightNode = head.status() != Status.MISDIRECTED_REQUEST.code();
        reusable = isRightNode && !head.saysClose() && early <= body.length;
        return answer;
    }

    private void readHead(Socket socket) throws IOException {
        int length = socket.read(buffer, filled, buffer.length - filled, 0);
        filled += length;
        receivedBytes += length;
    }
}
