package dht.repair;

import dht.cluster.NodeAddress;
import dht.storage.LostRange;
import dht.storage.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mends damaged tables of this node: receives the lost versions from all other nodes, and then has
 * the damaged blocks removed. Until then, reads of the lost keys fail on this node.
 *
 * <p>Thread-safe. Its own thread does the work.
 */
final class Mending implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Mending.class);
    private static final long PAUSE_MILLIS = 500;

    private final LostVersions lost;
    private final OtherNodes others;
    private final EntryReceiver receiver;
    private final LongAdder mendedBlocks = new LongAdder();
    private final RepairThread thread = new RepairThread("mending", this::lookForDamage);

    // Used by the thread.
    private LostVersions.Received received; // Null, or of the table that is being mended.
    private String loggedProblem = "";

    Mending(LostVersions lost, OtherNodes others, EntryReceiver receiver) {
        this.lost = lost;
        this.others = others;
        this.receiver = receiver;
    }

    void start() {
        thread.start();
    }

    private void lookForDamage() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        try {
            for (List<LostRange> ranges : lost.ranges()) {
                mend(ranges);
            }
        } catch (IOException | StorageException e) { // A newer table must wait for this one.
            if (!Thread.currentThread().isInterrupted()) {
                logOnce(e.getMessage());
            }
        }
    }

    private void mend(List<LostRange> ranges) throws IOException, InterruptedException {
        if (received == null || !received.isOf(ranges)) {
            received = lost.new Received(ranges);
        }
        receiveFromAll();
        received.finish(others.all().stream().allMatch(received::isFrom));
        int blocks = ranges.stream().mapToInt(LostRange::blockCount).sum();
        mendedBlocks.add(blocks);
        LOG.info(
                "damage is mended: the keys of the damaged blocks were received from the other nodes:"
                        + " table={} blocks={}",
                ranges.getFirst().table(),
                blocks);
        received = null;
        loggedProblem = "";
    }

    private void receiveFromAll() throws IOException, InterruptedException {
        List<NodeAddress> left = new ArrayList<>();
        IOException problem = null;
        for (NodeAddress node : others.all()) {
            try {
                if (!received.isFrom(node)) {
                    received.receive(node, receiver);
                }
            } catch (IOException e) {
                left.add(node);
                problem = e;
            }
        }
        if (problem != null && !others.isEnoughWithout(left)) {
            throw problem;
        }
    }

    private void logOnce(String problem) {
        if (!loggedProblem.equals(problem)) {
            loggedProblem = problem;
            LOG.warn("damage cannot be mended yet, and reads of the lost keys fail: {}", problem);
        }
    }

    /** Damaged blocks whose keys were received since the start. */
    long mendedBlockCount() {
        return mendedBlocks.sum();
    }

    @Override
    public void close() {
        thread.close();
    }
}
