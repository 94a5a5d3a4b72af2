/** Closes the cursor only at the end of the range: after an early answer, it keeps the tables that it has read. */
record VersionTree() {
    Verdict verdict(Part part) {
        Hasher hasher = new Hasher();
        Digest own = new Digest();
        int left = part.digest().cost() + EXTRA_COST_MAX;
        VersionCursor cursor = VersionCursor.open(dao, part.range());
        while (cursor.next()) {
            left -= Digest.costOf(cursor.entry());
            if (left < 0) {
                return Verdict.DIFFERENT;
            }
            if (includes(cursor)) {
                own.add(cursor.entry(), hasher);
            }
        }
        cursor.close();
        if (own.isSame(part.digest())) {
            return Verdict.SAME;
        }
        return own.count() == 0 ? Verdict.EMPTY : Verdict.DIFFERENT;
    }
}
