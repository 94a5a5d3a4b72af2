package dht.range;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A page of a node's entries, checked. Immutable.
 *
 * @param next where the next page begins; null after the last page
 */
record NodePage(List<RangeEntry> entries, byte[] next) {
    /**
     * Asks a node for a page, and waits for it.
     *
     * @param to the key after the range, not empty
     * @throws IOException if the node fails, or answers anything but the entries of the range, in
     *     their order
     */
    static NodePage read(RangeNode node, byte[] from, byte[] to) throws IOException {
        EntryPage.Reader page = new EntryPage.Reader(node.page(from, to));
        List<RangeEntry> entries = new ArrayList<>();
        byte[] next = from;
        while (page.next()) {
            if (Arrays.compareUnsigned(page.key(), next) < 0
                    || Arrays.compareUnsigned(page.key(), to) >= 0) {
                throw new IOException("its page of entries is not in order");
            }
            next = EntryPage.after(page.key());
            entries.add(RangeEntry.of(page));
        }
        if (page.hasMore() && entries.isEmpty()) {
            throw new IOException("its page has no entries, but says that more follow");
        }
        return new NodePage(List.copyOf(entries), page.hasMore() ? next : null);
    }
}
