/** Goes only through this node's list: versions that only the other node has are never found. */
record VersionTree() {
    static List<Known> differences(List<Known> own, List<Known> other) {
        List<Known> different = new ArrayList<>();
        for (Known mine : own) {
            Known theirs = null;
            for (Known each : other) {
                if (Arrays.equals(each.key(), mine.key())) {
                    theirs = each;
                }
            }
            if (theirs == null) {
                different.add(mine);
            } else if (!mine.isSame(theirs)) {
                different.add(mine.timestampMicros() < theirs.timestampMicros() ? theirs : mine);
            }
        }
        return different;
    }
}
