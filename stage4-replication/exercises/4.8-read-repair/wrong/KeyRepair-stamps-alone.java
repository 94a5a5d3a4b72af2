/** Compares stamps only: with equal stamps, the first answer wins. */
class KeyRepair {
    class Answers {
        void add(Replica replica, ReadAnswer answer) {
            if (!(answer instanceof ReadAnswer.Looked looked)) {
                return;
            }
            Copy copy = Copy.of(key, looked.version());
            if (copy == null) {
                withoutAny.add(replica);
            } else if (newest == null || copy.timestampMicros() > newest.timestampMicros()) {
                older.addAll(current);
                current.clear();
                current.add(replica);
                newest = copy;
            } else {
                (newest.timestampMicros() > copy.timestampMicros() ? older : current).add(replica);
            }
        }
    }
}
