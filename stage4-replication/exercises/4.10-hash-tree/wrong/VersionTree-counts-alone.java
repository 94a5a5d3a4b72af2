/** Treats the same number of versions as the same versions: an overwritten value is not found. */
record VersionTree() {
    Verdict verdict(Part part) {
        Hasher hasher = new Hasher();
        Digest own = new Digest();
        int left = part.digest().cost() + EXTRA_COST_MAX;
        try (VersionCursor cursor = VersionCursor.open(dao, part.range())) {
            while (cursor.next()) {
                left -= Digest.costOf(cursor.entry());
                if (left < 0) {
                    return Verdict.DIFFERENT;
                }
                if (includes(cursor)) {
                    own.add(cursor.entry(), hasher);
                }
            }
        }
        if (own.count() == part.digest().count()) {
            return Verdict.SAME;
        }
        return own.count() == 0 ? Verdict.EMPTY : Verdict.DIFFERENT;
    }
}
