package dht.peer.async;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets questions to a node gather while a message to it is under way, so that they share the next
 * one. A node that nobody asks is asked at once; the busier it is, the more share a message, and
 * the less each of them costs. It is group commit, with messages in place of syncs.
 *
 * <p>Nobody waits for a message that takes long: it may have asked for a large value, or the node
 * doesn't answer.
 *
 * <p>Thread-safe. The sender is called by whoever brings a question or ends a message, and by the
 * watch over slow ones.
 */
final class Batcher {
    /** About what a message takes at worst while the node is well. */
    static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Sends a message. */
    interface Sender {
        /**
         * Must not throw.
         *
         * @param ended to be called when there is an answer, or will be none
         */
        void send(List<Question> questions, Runnable ended);
    }

    private final int sizeMax;
    private final TimeoutQueue slow;
    private final Sender sender;

    // Guarded by this.
    private int underWay; // Not counting slow ones.
    private List<Question> waiting = new ArrayList<>();

    /**
     * @param sizeMax so many questions wait for none, at least 1
     * @param slow watches over messages that take longer than {@link #PATIENCE_NANOS}
     */
    Batcher(int sizeMax, TimeoutQueue slow, Sender sender) {
        this.sizeMax = sizeMax;
        this.slow = slow;
        this.sender = sender;
    }

    void add(Question question) {
        List<Question> due;
        synchronized (this) {
            if (underWay == 0) {
                due = List.of(question);
            } else {
                waiting.add(question);
                if (waiting.size() < sizeMax) {
                    return;
                }
                due = takeWaiting();
            }
            underWay++;
        }
        send(due);
    }

    private void send(List<Question> questions) {
        Message message = new Message();
        if (sizeMax > 1) {
            slow.add(message, PATIENCE_NANOS);
        }
        sender.send(questions, message::due);
    }

    /** A message is over, or so slow that nobody waits for it. */
    private void ended() {
        List<Question> due;
        synchronized (this) {
            if (waiting.isEmpty() || underWay > 1) {
                underWay--;
                return;
            }
            due = takeWaiting();
        }
        send(due);
    }

    synchronized int waitingCount() {
        return waiting.size();
    }

    private List<Question> takeWaiting() {
        List<Question> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    private final class Message implements TimeoutQueue.Pending {
        private final AtomicBoolean over = new AtomicBoolean();

        @Override
        public boolean isOver() {
            return over.get();
        }

        @Override
        public void due() {
            if (over.compareAndSet(false, true)) {
                ended();
            }
        }
    }
}
