/** Sends an old tombstone to no replica: when the tombstone is dropped, the older value that it hides comes back. */
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
