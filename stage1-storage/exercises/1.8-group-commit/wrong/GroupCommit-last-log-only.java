/** Syncs only the log that is written to, as if it held what the full one before it holds. */
class GroupCommit {
    private void commit(WriteGroup group) {
        int last = group.count() - 1;
        if (failure == null) {
            sync(group.log(last), group.logEnd(last));
        }
        notifyListeners(group, 0, group.count());
    }
}
