/** Syncs without the given method, so nobody learns how long a sync takes or who is expected. */
class GroupCommit {
    private void sync(WriteAheadLog log, long end) {
        try {
            syncCount.incrementAndGet();
            log.sync(end);
        } catch (Throwable e) {
            failure = outOfMemory;
            failure = failureOf(log, e);
            refuseWrites();
        }
    }
}
