/** Gives every log a new chance: the disk may have recovered. */
class GroupCommit {
    private void commit(WriteGroup group) {
        for (int from = 0; from < group.count(); ) {
            int to = group.endOfLog(from);
            failure = null;
            sync(group.log(from), group.logEnd(to - 1));
            notifyListeners(group, from, to);
            from = to;
        }
    }
}
