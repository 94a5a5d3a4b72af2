/** A newer version takes the place of the newest, and forgets who had that. */
class KeyRepair {
    class Answers {
        void add(Replica replica, ReadAnswer answer) {
            if (!(answer instanceof ReadAnswer.Looked looked)) {
                return;
            }
            Copy copy = Copy.of(key, looked.version());
            if (copy == null) {
                withoutAny.add(replica);
            } else if (newest == null || copy.winsOver(newest)) {
                current.clear();
                current.add(replica);
                newest = copy;
            } else {
                (newest.winsOver(copy) ? older : current).add(replica);
            }
        }
    }
}
