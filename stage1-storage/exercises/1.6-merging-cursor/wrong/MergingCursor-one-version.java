/** Skips one older version: the third version of a key comes out as an entry of its own. */
class MergingCursor {
    private void skipOlderVersions() {
        if (size > 1) {
            int second = size > 2 && isBefore(heap[2], heap[1]) ? 2 : 1;
            if (heap[second].entry().compareKey(heap[0].entry()) == 0) {
                if (!heap[second].next()) {
                    remove(second);
                }
                siftDown(second);
            }
        }
    }
}
