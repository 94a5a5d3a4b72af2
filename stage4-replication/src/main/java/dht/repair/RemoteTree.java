package dht.repair;

import dht.http.RequestException;
import dht.peer.RemoteNode;
import dht.repair.RepairMessage.Head;
import dht.repair.VersionTree.Page;
import dht.repair.VersionTree.Part;
import dht.repair.VersionTree.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * The hash tree of another node, which is asked over HTTP. Used by one thread at a time.
 *
 * @param bytes counts the bytes of all messages' bodies, in both directions
 */
record RemoteTree(NodeClient client, RemoteNode node, Head head, LongAdder bytes)
        implements Comparison.OtherTree {
    @Override
    public List<Verdict> verdicts(List<Part> parts) throws IOException {
        byte[] question = RepairMessage.ofParts(head, parts);
        byte[] answer = ask(RepairMessage.DIGESTS, question);
        try {
            return RepairMessage.verdicts(answer, parts.size());
        } catch (RequestException e) {
            throw malformed(e);
        }
    }

    @Override
    public Page page(KeyRange range) throws IOException {
        byte[] question = RepairMessage.ofRange(head, range);
        byte[] answer = ask(RepairMessage.VERSIONS, question);
        try {
            return RepairMessage.parse(ByteBuffer.wrap(answer), RepairMessage::page);
        } catch (RequestException e) {
            throw malformed(e);
        }
    }

    private byte[] ask(String path, byte[] question) throws IOException {
        byte[] answer = client.put(node.address(), path, question).body();
        bytes.add(question.length + answer.length);
        return answer;
    }

    private IOException malformed(RequestException e) {
        return new IOException("node " + node.address() + " sent a malformed answer", e);
    }

    @Override
    public boolean isBehind() {
        return node.isBehind();
    }
}
