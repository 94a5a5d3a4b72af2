/** Treats versions with the same stamp as the same version. */
record VersionTree() {
    static List<Known> differences(List<Known> own, List<Known> other) {
        java.util.TreeMap<byte[], Known> newest = new java.util.TreeMap<>(Arrays::compareUnsigned);
        java.util.TreeMap<byte[], Known> mine = new java.util.TreeMap<>(Arrays::compareUnsigned);
        own.forEach(each -> mine.put(each.key(), each));
        mine.values().forEach(each -> newest.put(each.key(), each));
        for (Known theirs : other) {
            Known known = mine.get(theirs.key());
            if (known != null && known.timestampMicros() == theirs.timestampMicros()) {
                newest.remove(theirs.key());
            } else if (known == null || known.timestampMicros() < theirs.timestampMicros()) {
                newest.put(theirs.key(), theirs);
            }
        }
        return new ArrayList<>(newest.values());
    }
}
