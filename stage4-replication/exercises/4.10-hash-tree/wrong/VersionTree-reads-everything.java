/** Always reads the whole range: a node with a million versions reads all of them for a question about a few. */
record VersionTree() {
    Verdict verdict(Part part) {
        Hasher hasher = new Hasher();
        Digest own = new Digest();
        try (VersionCursor cursor = VersionCursor.open(dao, part.range())) {
            while (cursor.next()) {
                if (includes(cursor)) {
                    own.add(cursor.entry(), hasher);
                }
            }
        }
        if (own.isSame(part.digest())) {
            return Verdict.SAME;
        }
        return own.count() == 0 ? Verdict.EMPTY : Verdict.DIFFERENT;
    }
}
