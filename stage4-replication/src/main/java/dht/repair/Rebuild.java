package dht.repair;

import dht.cluster.NodeAddress;
import dht.storage.Dao;
import dht.storage.StorageException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds this node: receives the entries of all other nodes, one node after the other. After each
 * node, the progress is stored on disk, so a rebuild continues after a restart.
 *
 * <p>Thread-safe. Its own thread does the work.
 */
final class Rebuild implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Rebuild.class);
    private static final long RETRY_MILLIS = 500;

    private final Membership membership;
    private final RebuildProgress progress;
    private final EntrySource source;
    private final Dao dao;
    private final RepairThread thread = new RepairThread("rebuild", this::rebuildMore);

    // Used by the thread.
    private String loggedProblem = "";
    private boolean isHopelessLogged;

    Rebuild(Membership membership, RebuildProgress progress, EntrySource source, Dao dao) {
        this.membership = membership;
        this.progress = progress;
        this.source = source;
        this.dao = dao;
    }

    void start() {
        thread.start();
    }

    /** Tries to receive the entries of each node that is still missing. */
    private void rebuildMore() throws InterruptedException {
        membership.awaitRebuilding();
        String problem = "too few nodes with complete data answer";
        for (NodeAddress node : progress.sources()) {
            try {
                receive(node);
            } catch (IOException | StorageException e) {
                problem = e.toString();
            }
        }
        try {
            if (progress.isAllReceived()) {
                membership.rebuilt();
                return;
            }
        } catch (IOException e) {
            problem = e.toString();
        }
        logOnce(problem);
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    }

    private void logOnce(String problem) {
        if (progress.isHopeless()) {
            if (!isHopelessLogged) {
                isHopelessLogged = true;
                LOG.error(
                        "the rebuild cannot end: half of the nodes or more are rebuilding, so acknowledged"
                                + " writes may be lost; if you accept that, start one of them with --rebuild off");
            }
        } else if (!problem.equals(loggedProblem)) {
            loggedProblem = problem;
            LOG.warn("the rebuild waits, and tries again: {}", problem);
        }
    }

    private void receive(NodeAddress node) throws IOException, InterruptedException {
        LOG.info("rebuild: receiving the entries of node {}", node);
        source.receiveAll(node);
        dao.flush(); // What was received must be durable before it is noted as received.
        progress.received(node);
        LOG.info("rebuild: has all entries of node {}; nodes left={}", node, progress.leftCount());
    }

    @Override
    public void close() {
        thread.close();
    }
}
