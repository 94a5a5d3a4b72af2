package dht.peer.batch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.peer.PeerCall;
import dht.peer.TimeoutQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Collects questions to a node while a message to it is under way, so that they share the next
 * message. If no message is under way, a question is sent at once. The busier the node is, the more
 * questions share a message, and the less each question costs. Group commit does the same with
 * syncs instead of messages.
 *
 * <p>If a message takes long, questions no longer wait for its end. It may have asked for a large
 * value, or the node may not answer at all.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>{@code underWay} counts the messages that were sent and have neither ended nor become slow.
 *       Each message is subtracted once.
 *   <li>Questions wait only while {@code underWay} is greater than 0. The last of these messages
 *       sends them, when it ends or becomes slow.
 *   <li>Each question is passed to the sender exactly once, even if memory is exhausted. One
 *       exception: if {@link #add} throws, the question was not added, and is never passed.
 *   <li>If a message ends on the thread that is still sending it, the next message is sent after
 *       that. If a message fails at once, its receivers run first. The circuit breaker then knows
 *       the failure before the next message is sent.
 * </ol>
 *
 * <p>Thread-safe. The sender is called on the thread that adds a question or ends a message, and on
 * the thread that checks deadlines.
 */
final class Batcher {
    /**
     * A message that takes longer than this is slow. While the node is healthy, few messages are
     * slow.
     */
    static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Sends messages. */
    @FunctionalInterface
    interface Sender {
        /**
         * Must not throw.
         *
         * @param ended must be called when the answer has arrived or the message has failed;
         *     further calls have no effect
         */
        void send(List<PeerCall> questions, Runnable ended);
    }

    private final int sizeMax;
    private final TimeoutQueue slow;
    private final Sender sender;

    @GuardedBy("this")
    private int underWay; // Not counting slow ones.

    @GuardedBy("this")
    private List<PeerCall> waiting = new ArrayList<>();

    @GuardedBy("this")
    private Message next; // The message for the questions that wait.

    /**
     * @param sizeMax when this many questions wait, they are sent at once; at least 1
     * @param slow the timeout queue for messages, with a delay of {@link #PATIENCE_NANOS}
     */
    Batcher(int sizeMax, TimeoutQueue slow, Sender sender) {
        this.sizeMax = sizeMax;
        this.slow = slow;
        this.sender = sender;
    }

    /**
     * Sends a question now, or with the next message.
     *
     * @throws OutOfMemoryError if the question was not added
     */
    void add(PeerCall question) {
        // Allocated before the state changes, because the allocation may fail.
        Message message = new Message();
        List<PeerCall> due;
        synchronized (this) {
            if (underWay == 0) {
                due = List.of(question);
            } else {
                waiting.add(question);
                if (waiting.size() < sizeMax) {
                    next = message;
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
        } finally { // If adding fails, the request's own deadline ends the message.
            message.sendWith(sender, questions);
        }
    }

    /**
     * Called once for each message: when it has ended, or when it has become slow. Needs no memory.
     */
    private void ended() {
        Message message;
        List<PeerCall> due;
        synchronized (this) {
            if (waiting.isEmpty() || underWay > 1) {
                underWay--;
                return;
            }
            message = next;
            due = waiting;
            waiting = message.room;
        }
        send(due, message);
    }

    synchronized int waitingCount() {
        return waiting.size();
    }

    private final class Message extends TimeoutQueue.Timeout implements Runnable {
        private final AtomicBoolean over = new AtomicBoolean();

        /**
         * The list for the questions that are added after this message was sent. Allocated with the
         * message, so that it never has to be allocated later.
         */
        private final List<PeerCall> room = new ArrayList<>();

        private volatile Thread sendingThread; // Null unless a thread is in the sender with this.
        private boolean endedInSender; // Used by sendingThread.

        /** Sends this message. If it ends meanwhile, the next one is sent after that. */
        void sendWith(Sender sender, List<PeerCall> questions) {
            sendingThread = Thread.currentThread();
            try {
                sender.send(questions, this);
            } finally {
                sendingThread = null;
                if (endedInSender) {
                    ended();
                }
            }
        }

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
                if (sendingThread == Thread.currentThread()) {
                    endedInSender = true;
                } else {
                    ended();
                }
            }
        }
    }
}
