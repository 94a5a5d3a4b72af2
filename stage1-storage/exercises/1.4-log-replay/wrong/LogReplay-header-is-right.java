/** Trusts appendedUpTo after a restart of the machine, too: what the power failure took is called damage. */
class LogReplay {
    public void forEach(Visitor visitor) {
        EntryView entry = new EntryView();
        end = LogLayout.HEADER_BYTES;
        while (tryRead(end, entry)) {
            visitor.record(end, entry);
            end = LogRecords.next(end, entry);
        }
        if (end < appendedUpTo) {
            throw new CorruptionException(records.toString(), end, "log record is damaged");
        }
    }
}
