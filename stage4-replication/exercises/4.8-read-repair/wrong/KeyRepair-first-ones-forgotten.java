/** When a newer version is found, forgets which replicas have the version that was the newest before. */
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
