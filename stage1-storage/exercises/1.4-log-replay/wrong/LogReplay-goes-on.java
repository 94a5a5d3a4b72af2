/** Does not begin anew when it is called again: the second caller gets no record. */
class LogReplay {
    public void forEach(Visitor visitor) {
        EntryView entry = new EntryView();
        while (tryRead(end, entry)) {
            visitor.record(end, entry);
            end = LogRecords.next(end, entry);
        }
        if (end < validUpTo) {
            throw new CorruptionException(records.toString(), end, "log record is damaged");
        }
    }
}
