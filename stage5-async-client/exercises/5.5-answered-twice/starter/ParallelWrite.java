class ParallelWrite {
    @GuardedBy("this")
    private WriteResult settle(WriteResult result) {
        boolean isNow =
                result instanceof WriteResult.Outdated || awaited.isEmpty() || tryKeepMemory(result);
        if (!isNow) {
            waiting = result;
        }
        return isNow ? result : null;
    }
}
