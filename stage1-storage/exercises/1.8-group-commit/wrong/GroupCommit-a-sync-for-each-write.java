/** Syncs each write by itself: it is all correct, but nothing is shared. */
class GroupCommit {
    private void commit(WriteGroup group) {
        for (int i = 0; i < group.count(); i++) {
            if (failure == null) {
                sync(group.log(i), group.logEnd(i));
            }
            notifyListeners(group, i, i + 1);
        }
    }
}
