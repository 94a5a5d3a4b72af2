package dht.range;

import dht.storage.StorageException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Reads the entries of one node in key order, page by page. While one page is used, a virtual
 * thread waits for the next one. So a cursor needs the memory of two pages.
 *
 * <p>Used by one thread at a time.
 */
final class NodeCursor {
    private final RangeNode node;
    private final byte[] to;
    private FutureTask<NodePage> asked; // Null after the last page.
    private List<RangeEntry> entries = List.of();
    private int position;
    private RangeEntry entry;

    /** Asks for the first page. */
    NodeCursor(RangeNode node, byte[] from, byte[] to) {
        this.node = node;
        this.to = to;
        this.asked = ask(from);
    }

    private FutureTask<NodePage> ask(byte[] from) {
        FutureTask<NodePage> task = new FutureTask<>(() -> NodePage.read(node, from, to));
        Thread.ofVirtual().name("range-page").start(task);
        return task;
    }

    /**
     * Moves to the next entry; {@link #entry} is null after the last one. Waits for the node if the
     * next page has not arrived.
     *
     * @throws IOException if the node has failed, or if the waiting thread is interrupted
     */
    void next() throws IOException {
        while (position == entries.size() && asked != null) {
            NodePage page = await();
            asked = page.next() == null ? null : ask(page.next()); // First: it may fail.
            entries = page.entries();
            position = 0;
        }
        entry = position == entries.size() ? null : entries.get(position++);
    }

    private NodePage await() throws IOException {
        try {
            return asked.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("this node is stopping");
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failed -> throw new IOException(failed.getMessage(), failed);
                case StorageException failed -> throw new IOException(failed.getMessage(), failed);
                case Error error -> throw error;
                default -> throw new IOException("failed: " + e.getCause(), e.getCause());
            }
        }
    }

    /** The current entry; null before the first call of {@link #next}, and after the last entry. */
    RangeEntry entry() {
        return entry;
    }

    RangeNode node() {
        return node;
    }
}
