/** Tells the listeners first, and refuses writes when they know: they may have written again. */
class GroupCommit {
    private void commit(WriteGroup group) {
        boolean failedBefore = failure != null;
        for (int from = 0; from < group.count(); ) {
            int to = group.endOfLog(from);
            if (failure == null) {
                sync(group.log(from), group.logEnd(to - 1));
            }
            notifyListeners(group, from, to);
            from = to;
        }
        if (failure != null && !failedBefore) {
            refuseWrites();
        }
    }

    private void sync(WriteAheadLog log, long end) {
        try {
            syncAndTime(log, end);
        } catch (Throwable e) {
            failure = outOfMemory;
            failure = failureOf(log, e);
        }
    }
}
