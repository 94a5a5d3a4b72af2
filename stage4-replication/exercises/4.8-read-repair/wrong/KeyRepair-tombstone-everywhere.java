/** Treats a tombstone like any other version, so replicas that have dropped it get it again and again. */
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
