/** Swaps with the left child, without a look at the right one. */
class MergingCursor {
    private void siftDown(int index) {
        int parent = index;
        int child = 2 * parent + 1;
        while (child < size && isBefore(heap[child], heap[parent])) {
            EntryCursor swapped = heap[parent];
            heap[parent] = heap[child];
            heap[child] = swapped;
            parent = child;
            child = 2 * parent + 1;
        }
    }
}
