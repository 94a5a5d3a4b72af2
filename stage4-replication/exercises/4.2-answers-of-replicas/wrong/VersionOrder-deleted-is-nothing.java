/** Treats a tombstone as an absent version, because neither has a value: a deleted key comes back. */
class VersionOrder {
    private static boolean winsOver(ReadOutcome challenger, ReadOutcome incumbent) {
        if (!(challenger instanceof ReadOutcome.Found)) {
            return false;
        }
        return !(incumbent instanceof ReadOutcome.Found)
                || entry(challenger).winsOver(entry(incumbent));
    }
}
