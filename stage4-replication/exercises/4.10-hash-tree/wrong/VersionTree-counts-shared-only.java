/** Counts only the cost of versions that the two nodes share, although the others must be read, too. */
record VersionTree() {
    Verdict verdict(Part part) {
        Hasher hasher = new Hasher();
        Digest own = new Digest();
        int left = part.digest().cost() + EXTRA_COST_MAX;
        try (VersionCursor cursor = VersionCursor.open(dao, part.range())) {
            while (cursor.next()) {
                if (includes(cursor)) {
                    left -= Digest.costOf(cursor.entry());
                    if (left < 0) {
                        return Verdict.DIFFERENT;
                    }
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
