/** Takes a deletion for nothing, as both have no value: a deleted key comes back. */
class VersionOrder {
    private static boolean winsOver(ReadOutcome challenger, ReadOutcome incumbent) {
        if (!(challenger instanceof ReadOutcome.Found)) {
            return false;
        }
        return !(incumbent instanceof ReadOutcome.Found)
                || entry(challenger).winsOver(entry(incumbent));
    }
}
