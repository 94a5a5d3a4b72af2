/** Orders by key alone: which version comes to the top is a matter of luck. */
class MergingCursor {
    private static boolean isBefore(EntryCursor a, EntryCursor b) {
        return a.entry().compareKey(b.entry()) < 0;
    }
}
