package dht.testkit.history;

/** A rule that each history must follow. */
public enum Rule {
    THIN_AIR("A read returns a complete value that a client wrote to that key."),
    FROM_THE_FUTURE("A read never returns a write that began after the read had ended."),
    REFUSED("A write that was refused leaves no trace."),
    LOST(
            "A read that begins after an acknowledged write has ended returns that write or a newer one."),
    UNDELETED("An acknowledged deletion stays until a newer write."),
    ONE_ORDER("Of two concurrent writes, all reads see the same one as the newer one."),
    ONE_MOMENT(
            "Each request happens at one moment: after a read has returned a write, no later read returns an older one.");

    private final String text;

    Rule(String text) {
        this.text = text;
    }

    /** The rule in one sentence. */
    public String text() {
        return text;
    }
}
