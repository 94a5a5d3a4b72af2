/** Compares keys as signed bytes: if some keys are not ASCII, equal versions look different. */
record VersionTree() {
    private static int order(List<Known> own, int i, List<Known> other, int j) {
        if (i == own.size()) {
            return 1;
        }
        return j == other.size() ? -1 : Arrays.compare(own.get(i).key(), other.get(j).key());
    }
}
