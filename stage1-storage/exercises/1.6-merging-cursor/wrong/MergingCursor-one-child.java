/** Looks for the second version at index 1 only: it may be at index 2. */
class MergingCursor {
    private void skipOlderVersions() {
        while (size > 1) {
            if (heap[1].entry().compareKey(heap[0].entry()) != 0) {
                return;
            }
            if (!heap[1].next()) {
                remove(1);
            }
            siftDown(1);
        }
    }
}
