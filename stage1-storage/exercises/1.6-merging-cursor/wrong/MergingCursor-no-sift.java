/** Restores the heap only when a cursor has ended: one that moved on may come after its children now. */
class MergingCursor {
    private void skipOlderVersions() {
        while (size > 1) {
            int second = size > 2 && isBefore(heap[2], heap[1]) ? 2 : 1;
            if (heap[second].entry().compareKey(heap[0].entry()) != 0) {
                return;
            }
            if (!heap[second].next()) {
                remove(second);
                siftDown(second);
            }
        }
    }
}
