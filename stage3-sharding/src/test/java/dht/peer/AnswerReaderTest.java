package dht.peer;

import static dht.peer.StubNode.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.http.MemoryBudget;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.TooLarge;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import one.nio.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the bodies of answers, also those for which this node has no memory. */
class AnswerReaderTest {
    private static final int LARGE_BYTES = 1 << 20;
    private static final String HEAD_OF_FIVE = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";

    private final MemoryBudget memory = new MemoryBudget(LARGE_BYTES);

    @Test
    void answer_whenTheNextOneComes_keepsItsBody() throws IOException {
        AnswerReader reader = new AnswerReader(memory);
        try (StubNode node =
                        new StubNode(
                                (in, out, _) -> {
                                    out.write(bytes(HEAD_OF_FIVE + "first"));
                                    in.read();
                                    out.write(bytes(HEAD_OF_FIVE + "later"));
                                    in.read();
                                });
                Socket socket = Socket.create()) {
            socket.connect(node.address().host(), node.address().port());

            Answered first = (Answered) reader.receive(socket);
            socket.writeFully(new byte[1], 0, 1);
            Answered second = (Answered) reader.receive(socket);

            assertThat(text(second)).isEqualTo("later");
            assertThat(text(first)).isEqualTo("first");
        }
    }

    /** What is left over would be taken for the beginning of the next answer. */
    @ParameterizedTest
    @CsvSource({"first, true", "first and more, false"})
    void connection_afterAnAnswer_isReusableUnlessMoreHasCome(String body, boolean isReusable)
            throws IOException {
        AnswerReader reader = new AnswerReader(memory);
        CountDownLatch over = new CountDownLatch(1);
        try (StubNode node =
                        new StubNode(
                                (_, out, _) -> {
                                    out.write(bytes(HEAD_OF_FIVE + body));
                                    over.await();
                                });
                Socket socket = Socket.create()) {
            socket.connect(node.address().host(), node.address().port());

            assertThat(text((Answered) reader.receive(socket))).isEqualTo("first");
            assertThat(reader.isReusable()).isEqualTo(isReusable);
        } finally {
            over.countDown();
        }
    }

    private static String text(Answered answer) {
        return new String(answer.body().toArray(), UTF_8);
    }

    @Test
    void receive_whileTheHeapIsFull_isTooLargeAndGivesItsMemoryBack() throws IOException {
        AnswerReader reader =
                new AnswerReader(
                        memory,
                        _ -> {
                            throw new OutOfMemoryError("Java heap space");
                        });
        CountDownLatch over = new CountDownLatch(1);
        String head = "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n".formatted(LARGE_BYTES);
        try (StubNode node =
                        new StubNode(
                                (_, out, _) -> {
                                    out.write(bytes(head));
                                    over.await();
                                });
                Socket socket = Socket.create()) {
            socket.connect(node.address().host(), node.address().port());

            assertThat(reader.receive(socket)).isInstanceOf(TooLarge.class);

            assertThat(reader.isReusable()).as("the value is still to come").isFalse();
            assertThat(memory.tryTake(LARGE_BYTES)).as("memory is given back").isTrue();
        } finally {
            over.countDown();
        }
    }
}
