package dht.testkit.history;

/** What a history may not show. */
public enum Rule {
    THIN_AIR("A read returns what somebody wrote to that key, entire."),
    FROM_THE_FUTURE("A read returns nothing whose writing began after the read had ended."),
    REFUSED("A write that was refused leaves no trace."),
    LOST(
            "A read that begins after an acknowledged write has ended returns that write or a newer one."),
    UNDELETED("A deletion that was acknowledged stays, until something newer is written."),
    ONE_ORDER("Of two concurrent writes either is the newer one, and for all reads the same one."),
    ONE_MOMENT(
            "Each request happens at one moment; so when a read has returned a write, no later read returns an older one.");

    private final String text;

    Rule(String text) {
        this.text = text;
    }

    /** The rule in one sentence. */
    public String text() {
        return text;
    }
}
