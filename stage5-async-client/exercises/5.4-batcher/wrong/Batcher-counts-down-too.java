/** Subtracts the message that has ended, and forgets to add the one that takes its place. */
class Batcher {
    private void ended() {
        Message message;
        List<PeerCall> due;
        synchronized (this) {
            underWay--;
            if (waiting.isEmpty() || underWay > 0) {
                return;
            }
            message = next;
            due = waiting;
            waiting = message.room;
        }
        send(due, message);
    }
}
