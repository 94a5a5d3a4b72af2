/** Stops where the header says, and throws whole records away that lie beyond. */
class LogReplay {
    public void forEach(Visitor visitor) {
        EntryView entry = new EntryView();
        end = LogLayout.HEADER_BYTES;
        while (end < validUpTo) {
            if (!tryRead(end, entry)) {
                throw new CorruptionException(records.toString(), end, "log record is damaged");
            }
            visitor.record(end, entry);
            end = LogRecords.next(end, entry);
        }
    }
}
