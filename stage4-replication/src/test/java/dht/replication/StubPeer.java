package dht.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.peer.PeerAnswer;
import dht.peer.PeerHealth;
import dht.peer.RemoteNode;
import dht.storage.ReadOutcome.Hold;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Another node, which sends the answers that a test wants, when it wants. Thread-safe. */
public final class StubPeer implements RemoteNode {
    private static final int PATIENCE_SECONDS = 20;

    private final NodeAddress address;
    private final BlockingQueue<Question> questions = new LinkedBlockingQueue<>();
    private volatile Runnable beforeAsked = () -> {};
    private volatile boolean closed;
    private volatile boolean behind;

    /** What it was asked, and has not answered yet. */
    public record Question(EntityRequest request, long stamp, Consumer<PeerAnswer> receiver) {
        /** On the calling thread, with all that follows from it. */
        public void answer(int status) {
            answer(status, 0, "");
        }

        /** It refuses. Reading its answer throws this error. */
        void refuse(Error thrown) {
            Hold broken =
                    () -> {
                        throw thrown;
                    };
            try {
                receiver.accept(new PeerAnswer.Answered(503, 0, OwnedBytes.EMPTY, broken));
            } catch (Error e) {
                throw new AssertionError("nobody hears of this answer", e);
            }
        }

        void answer(int status, long timestampMicros, String body) {
            answer(status, timestampMicros, body, () -> {});
        }

        /**
         * @param hold of the memory that the body takes
         */
        void answer(int status, long timestampMicros, String body, Hold hold) {
            OwnedBytes bytes = OwnedBytes.takeOver(body.getBytes(UTF_8));
            receiver.accept(new PeerAnswer.Answered(status, timestampMicros, bytes, hold));
        }
    }

    public StubPeer(NodeAddress address) {
        this.address = address;
    }

    /** Has something done whenever it is asked; what that throws, asking it throws. */
    void beforeAsked(Runnable action) {
        beforeAsked = action;
    }

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public void ask(EntityRequest request, long stamp, Consumer<PeerAnswer> receiver) {
        beforeAsked.run();
        if (closed) {
            receiver.accept(new PeerAnswer.QueueFull());
        } else {
            questions.add(new Question(request, stamp, receiver));
        }
    }

    /** How many questions nobody has taken yet. */
    public int askedCount() {
        return questions.size();
    }

    /** Waits until it is asked. */
    public Question nextQuestion() throws InterruptedException {
        Question question = questions.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(question).as(address + " was not asked").isNotNull();
        return question;
    }

    @Override
    public PeerHealth health() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int queuedCount() {
        return 0;
    }

    @Override
    public boolean isBehind() {
        return behind;
    }

    void fallBehind() {
        behind = true;
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
    }
}
