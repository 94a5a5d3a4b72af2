/** An old tombstone goes nowhere: the older value that it hides comes back when it is dropped. */
class KeyRepair {
    class Answers {
        List<Replica> lacking() {
            if (newest == null || newest.isTombstone() && isForgotten(newest)) {
                return List.of();
            }
            older.addAll(withoutAny);
            return older;
        }
    }
}
