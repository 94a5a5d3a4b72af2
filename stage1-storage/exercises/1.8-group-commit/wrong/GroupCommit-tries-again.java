/** Gives every log a new chance: the disk may have recovered. */
class GroupCommit {
    private void commit(WriteGroup group) {
        for (int from = 0; from < group.count(); ) {
            int to = group.endOfLog(from);
            failure = null;
            sync(group.log(from), group.logEnd(to - 1));
            for (int i = from; i < to; i++) {
                notifyListener(group, i);
            }
            from = to;
        }
    }
}
