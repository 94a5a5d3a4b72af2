package dht.repair;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.range.EntryPage;
import dht.range.RangeNode.Large;
import dht.replication.Holders;
import dht.replication.LocalReplica;
import dht.replication.StampAheadException;
import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import dht.storage.WriteListener;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Receives the entries of another node page by page. Stores the entries of which this node is a
 * replica, with their original stamps. Skips an entry if this node already has it, or has a newer
 * version of the key. So a transfer that begins again requests all pages again, but stores only
 * what is missing.
 *
 * <p>Needs memory for one page and one large value. Used by one thread at a time.
 */
final class EntryReceiver implements EntrySource {
    private static final long RETRY_MILLIS = 100;
    private static final int PAGE_RETRIES_MAX = 3;
    private static final int CHANGES_MAX = 5;

    /**
     * A worker thread of the other node makes the page. Meanwhile this thread cannot serve clients.
     * A small page delays them only a little.
     */
    private static final int PAGE_BYTES = 32 << 10;

    private final NodeClient client;
    private final LocalReplica local;
    private final Holders holders;
    private final RateLimiter bytes;
    private final RepairCounts counts;
    private final Outcome outcome = new Outcome();

    /**
     * @param holders finds the replicas of a key
     * @param bytesPerSecondMax limits what is received, large values included
     */
    EntryReceiver(
            NodeClient client,
            LocalReplica local,
            Holders holders,
            long bytesPerSecondMax,
            RepairCounts counts) {
        this.client = client;
        this.local = local;
        this.holders = holders;
        this.bytes = new RateLimiter(bytesPerSecondMax, System::nanoTime);
        this.counts = counts;
    }

    /** Decides which entries are not stored, because this node already has them. */
    @FunctionalInterface
    interface Known {
        /**
         * Called for each entry that the other node has sent, before it is decided whether this
         * node stores it. By default, this method does nothing.
         */
        default void received(byte[] key) {}

        boolean includes(EntityRequest header, long timestampMicros) throws StampAheadException;
    }

    @Override
    public void receiveAll(NodeAddress node) throws IOException, InterruptedException {
        receive(
                node,
                KeyRange.ALL,
                (header, timestampMicros) -> local.observe(header, timestampMicros) > 0);
    }

    /**
     * Receives the entries that another node has in a range, and stores those that are not known.
     * If the other node gets an entry after the call has begun, the entry may be missing. The
     * entries need not be durable yet when this returns.
     *
     * @throws IOException if the node does not answer or sends no valid page, if the stamp of an
     *     entry is too far ahead, or if an entry could not be stored; entries that were stored
     *     before stay
     * @throws dht.storage.StorageException if this node's storage fails
     */
    void receive(NodeAddress node, KeyRange range, Known known)
            throws IOException, InterruptedException {
        byte[] from = range.from();
        int changed = 0; // How many pages in a row ended at a large value that has changed.
        boolean hasMore = true;
        while (hasMore) {
            byte[] received = page(node, EntryPage.target(from, range.to(), PAGE_BYTES));
            bytes.awaitTurns(received.length);
            EntryPage.Reader page = new EntryPage.Reader(received);
            byte[] next = from;
            boolean isCurrent = true;
            while (isCurrent && page.next()) {
                if (Arrays.compareUnsigned(page.key(), next) < 0) {
                    throw new IOException(
                            "node %s has sent a page that is not in order".formatted(node));
                }
                isCurrent = receive(node, page, known);
                next = isCurrent ? EntryPage.after(page.key()) : page.key();
            }
            outcome.check();
            changed = isCurrent ? 0 : changed + 1;
            if (changed > CHANGES_MAX) {
                throw new IOException(
                        "node %s has a large value that changes again and again".formatted(node));
            }
            hasMore = page.hasMore() || !isCurrent;
            if (hasMore && next == from) { // Its next page would begin at the same key.
                throw new IOException("node %s has sent a page without entries".formatted(node));
            }
            from = next;
        }
    }

    /**
     * Tries again if the node is overloaded or slow. Otherwise one lost page among very many would
     * make the transfer begin again at the first one.
     */
    private byte[] page(NodeAddress node, String target) throws IOException, InterruptedException {
        for (int retries = 0; ; retries++) {
            try {
                return client.get(node, target).body();
            } catch (NodeClient.Refused | SocketTimeoutException e) {
                boolean isTemporary = !(e instanceof NodeClient.Refused r) || r.isTemporary();
                if (!isTemporary || retries == PAGE_RETRIES_MAX) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS << retries);
            }
        }
    }

    /** Returns false if the entry has changed since the page was made. */
    private boolean receive(NodeAddress node, EntryPage.Reader page, Known known)
            throws IOException, InterruptedException {
        known.received(page.key());
        if (page.from() > 0 && !isShared(page.key(), page.from())) {
            return true;
        }
        try {
            EntityRequest header = new EntityRequest.Delete(page.key(), null, page.from());
            if (known.includes(header, page.timestampMicros())) {
                counts.rebuildKnown();
                return true;
            }
            if (page.isLarge()) {
                return receiveLarge(node, page);
            }
            store(request(page), page.timestampMicros());
            return true;
        } catch (StampAheadException e) { // Skipping the entry could lose an acknowledged write.
            throw new IOException(
                    "node " + node + " has an entry with a stamp too far ahead: " + e.getMessage());
        }
    }

    private boolean isShared(byte[] key, int from) {
        return holders.of(key, Math.min(from, holders.nodeCount())).getFirst() == local;
    }

    private static EntityRequest request(EntryPage.Reader page) {
        return page.isTombstone()
                ? new EntityRequest.Delete(page.key(), null, page.from())
                : put(page, page.value());
    }

    private static EntityRequest put(EntryPage.Reader page, byte[] value) {
        return new EntityRequest.Put(page.key(), OwnedBytes.takeOver(value), null, page.from());
    }

    /**
     * Requests a large value separately. If a newer version has replaced it in the meantime, stores
     * nothing, and returns false: only a page says how many nodes hold the newer version.
     */
    private boolean receiveLarge(NodeAddress node, EntryPage.Reader page)
            throws IOException, InterruptedException {
        Large large = new OtherEntries(client, node).value(page.key());
        if (large != null) {
            bytes.awaitTurns(large.value().length);
        }
        boolean isCurrent = large != null && large.timestampMicros() == page.timestampMicros();
        if (isCurrent) {
            store(put(page, large.value()), page.timestampMicros());
        }
        return isCurrent;
    }

    private void store(EntityRequest write, long timestampMicros) throws InterruptedException {
        while (true) {
            try {
                local.store(write, timestampMicros, outcome);
                counts.rebuildStored();
                return;
            } catch (StorageUnavailableException e) {
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
            }
        }
    }

    /** Notes whether a write has failed. Thread-safe. */
    private static final class Outcome implements WriteListener {
        private final AtomicReference<StorageException> failure = new AtomicReference<>();

        @Override
        public void durable() {}

        @Override
        public void failed(StorageException e) {
            failure.set(e);
        }

        void check() throws IOException {
            StorageException failed = failure.getAndSet(null);
            if (failed != null) {
                throw new IOException("cannot store what was received", failed);
            }
        }
    }
}
