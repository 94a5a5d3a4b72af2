/** Makes the message when it is needed: if there is no memory at that moment, the waiting questions are never sent. */
class Batcher {
    private void ended() {
        Message message;
        List<PeerCall> due;
        synchronized (this) {
            if (waiting.isEmpty() || underWay > 1) {
                underWay--;
                return;
            }
            message = new Message();
            due = waiting;
            waiting = message.room;
        }
        send(due, message);
    }
}
