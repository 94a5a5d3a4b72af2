/** A tombstone is a version like any other, so everybody gets it, for ever. */
class KeyRepair {
    class Answers {
        List<Replica> lacking() {
            if (newest != null) {
                older.addAll(withoutAny);
            }
            return older;
        }
    }
}
