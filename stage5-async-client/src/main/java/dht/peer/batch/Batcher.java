package dht.peer.batch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.peer.PeerCall;
import dht.peer.TimeoutQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Collects questions to a node while a message to it is under way, so that they share the next one.
 * A question for an idle node is sent at once; the busier the node is, the more questions share a
 * message, and the less each of them costs. It is group commit, with messages in place of syncs.
 *
 * <p>No question waits for a message that takes long: that message may have asked for a large
 * value, or the node does not answer.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>{@code underWay} counts the messages that were sent and have neither ended nor become slow.
 *       Each is subtracted once.
 *   <li>Questions wait only while {@code underWay} is greater than 0. So there is always a message
 *       whose end sends them.
 *   <li>Each question is handed to the sender once, to {@link Sender#send} or to {@link
 *       Sender#fail}, whatever there is no memory for; except that {@link #add} may throw, and then
 *       the question is not taken.
 * </ol>
 *
 * <p>Thread-safe. The sender is called on the thread that brings a question or ends a message, and
 * on the one that looks at deadlines.
 */
final class Batcher {
    /** About what a message takes at worst while the node is well. */
    static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Sends messages. Neither method throws. */
    interface Sender {
        /**
         * @param ended to be called when there is an answer, or will be none; more calls do nothing
         */
        void send(List<PeerCall> questions, Runnable ended);

        /** There is no memory to send it. */
        void fail(PeerCall question);
    }

    private final int sizeMax;
    private final TimeoutQueue slow;
    private final Sender sender;

    @GuardedBy("this")
    private int underWay; // Not counting slow ones.

    @GuardedBy("this")
    private List<PeerCall> waiting = new ArrayList<>();

    /**
     * @param sizeMax so many questions don't wait for a message to end, at least 1
     * @param slow of messages that take longer than {@link #PATIENCE_NANOS}
     */
    Batcher(int sizeMax, TimeoutQueue slow, Sender sender) {
        this.sizeMax = sizeMax;
        this.slow = slow;
        this.sender = sender;
    }

    /**
     * Sends it now, or with the next message.
     *
     * @throws OutOfMemoryError if it is not taken
     */
    void add(PeerCall question) {
        Message message = new Message(); // All that needs memory comes before what is counted.
        List<PeerCall> due;
        synchronized (this) {
            if (underWay == 0) {
                due = List.of(question);
            } else {
                waiting.add(question);
                if (waiting.size() < sizeMax) {
                    return;
                }
                due = waiting;
                waiting = message.room;
            }
            underWay++;
        }
        send(due, message);
    }

    private void send(List<PeerCall> questions, Message message) {
        try {
            if (sizeMax > 1) {
                slow.add(message, PATIENCE_NANOS);
            }
        } finally { // Without that watch, the request's own deadline ends the message.
            sender.send(questions, message);
        }
    }

    /** A message has ended, or is so slow that no question waits for it. */
    private void ended() {
        Message message = tryMessage();
        List<PeerCall> due;
        synchronized (this) {
            if (waiting.isEmpty() || underWay > 1) {
                underWay--;
                return;
            }
            if (message != null) {
                due = waiting;
                waiting = message.room;
            } else {
                due = null;
            }
        }
        if (due != null) {
            send(due, message);
        } else {
            failWaiting();
        }
    }

    /** Null if there is no memory for it. */
    private Message tryMessage() {
        try {
            return new Message();
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** Ends the message that has ended, and the questions that wait for it; needs no memory. */
    private void failWaiting() {
        PeerCall question = pollOrEnd();
        while (question != null) {
            sender.fail(question);
            question = pollOrEnd();
        }
    }

    private synchronized PeerCall pollOrEnd() {
        if (waiting.isEmpty()) {
            underWay--;
            return null;
        }
        return waiting.removeLast();
    }

    synchronized int waitingCount() {
        return waiting.size();
    }

    private final class Message extends TimeoutQueue.Timeout implements Runnable {
        private final AtomicBoolean over = new AtomicBoolean();

        /** For the questions that come after those that it takes along. */
        private final List<PeerCall> room = new ArrayList<>();

        @Override
        protected boolean isOver() {
            return over.get();
        }

        @Override
        protected void expire() {
            run();
        }

        @Override
        public void run() {
            if (over.compareAndSet(false, true)) {
                ended();
            }
        }
    }
}
