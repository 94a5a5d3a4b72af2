/** Forgets the result in any case: then the write that should wait is never answered. */
class ParallelWrite {
    private WriteResult settle(WriteResult result) {
        boolean isNow =
                result instanceof WriteResult.Outdated || awaited.isEmpty() || tryKeepMemory(result);
        waiting = null;
        return isNow ? result : null;
    }
}
