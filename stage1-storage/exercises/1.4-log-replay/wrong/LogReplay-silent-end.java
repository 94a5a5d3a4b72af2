/** Takes every bad record for a torn tail. */
class LogReplay {
    public void forEach(Visitor visitor) {
        EntryView entry = new EntryView();
        end = LogLayout.HEADER_BYTES;
        while (tryRead(end, entry)) {
            visitor.record(end, entry);
            end = LogRecords.next(end, entry);
        }
    }
}
