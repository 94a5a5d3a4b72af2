/** Forgets to close the version that loses: its memory is never given back. */
class VersionOrder {
    static ReadOutcome of(ReadOutcome first, ReadOutcome second) {
        return winsOver(second, first) ? second : first;
    }
}
