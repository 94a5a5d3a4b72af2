/** Each end of a message sends the waiting questions, even while another message is under way. */
class Batcher {
    private void ended() {
        Message message;
        List<PeerCall> due;
        synchronized (this) {
            if (waiting.isEmpty()) {
                underWay--;
                return;
            }
            message = next;
            due = waiting;
            waiting = message.room;
        }
        send(due, message);
    }
}
