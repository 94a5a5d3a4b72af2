package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.http.RequestException;
import dht.repair.RepairMessage.Head;
import dht.repair.VersionTree.Known;
import dht.repair.VersionTree.Page;
import dht.repair.VersionTree.Part;
import dht.repair.VersionTree.Verdict;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepairMessageTest {
    private static final Head HEAD = new Head(2, 123_456);
    private static final byte[] KEY = {1, (byte) 0xEF, 3};

    private static byte[] digests() {
        return RepairMessage.ofParts(
                HEAD,
                List.of(
                        new Part(new KeyRange(new byte[0], KEY), new Digest()),
                        new Part(new KeyRange(KEY, new byte[0]), new Digest())));
    }

    private static Object parse(byte[] message, RepairMessage.Parser<?> parser)
            throws RequestException {
        return RepairMessage.parse(ByteBuffer.wrap(message), parser::parse);
    }

    @Test
    void digests_encoded_areParsed() throws RequestException {
        List<Part> parts =
                RepairMessage.parse(
                        ByteBuffer.wrap(digests()),
                        message -> {
                            assertThat(Head.read(message)).isEqualTo(HEAD);
                            return RepairMessage.parts(message);
                        });
        assertThat(parts).extracting(part -> part.range().to()).containsExactly(KEY, new byte[0]);
        assertThat(parts.getLast().range().from()).isEqualTo(KEY);
        assertThat(parts).allMatch(part -> part.digest().isSame(new Digest()));
    }

    @Test
    void versions_encoded_areParsed() throws RequestException {
        Known known = new Known(KEY, 200, 5, -7);
        Page page =
                RepairMessage.parse(
                        ByteBuffer.wrap(RepairMessage.ofPage(new Page(List.of(known), KEY))),
                        RepairMessage::page);
        assertThat(page.to()).isEqualTo(KEY);
        assertThat(page.versions()).hasSize(1);
        assertThat(page.versions().getFirst().from()).isEqualTo(200);
        assertThat(page.versions().getFirst().isSame(known)).isTrue();
    }

    @Test
    void message_cutOffAnywhere_isRejected() {
        byte[] page = RepairMessage.ofPage(new Page(List.of(new Known(KEY, 0, 5, 6)), new byte[0]));
        for (int length = 0; length < page.length; length++) {
            byte[] cut = Arrays.copyOf(page, length);
            assertThatThrownBy(() -> parse(cut, RepairMessage::page))
                    .isInstanceOf(RequestException.class);
        }
        byte[] digests = digests();
        for (int length = 0; length < digests.length; length++) {
            byte[] cut = Arrays.copyOf(digests, length);
            assertThatThrownBy(
                            () ->
                                    parse(
                                            cut,
                                            message -> {
                                                Head.read(message);
                                                return RepairMessage.parts(message);
                                            }))
                    .isInstanceOf(RequestException.class);
        }
    }

    @Test
    void message_ofAnotherFormat_isRejected() {
        byte[] message = digests();
        message[0]++;
        assertThatThrownBy(() -> parse(message, Head::read)).isInstanceOf(RequestException.class);
    }

    @Test
    void verdicts_encoded_areParsed() throws RequestException {
        List<Verdict> verdicts = List.of(Verdict.EMPTY, Verdict.SAME, Verdict.DIFFERENT);
        byte[] message = RepairMessage.ofVerdicts(verdicts);
        assertThat(RepairMessage.verdicts(message, 3)).isEqualTo(verdicts);
        assertThatThrownBy(() -> RepairMessage.verdicts(message, 2))
                .isInstanceOf(RequestException.class);
    }
}
