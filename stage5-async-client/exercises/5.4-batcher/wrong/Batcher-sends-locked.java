/** Calls the sender under the lock: while it writes to a socket, all other threads with questions wait. */
class Batcher {
    synchronized void add(PeerCall question) {
        Message message = new Message();
        List<PeerCall> due;
        if (underWay == 0) {
            due = List.of(question);
        } else {
            waiting.add(question);
            if (waiting.size() < sizeMax) {
                next = message;
                return;
            }
            due = waiting;
            waiting = message.room;
        }
        underWay++;
        send(due, message);
    }

    private synchronized void ended() {
        if (waiting.isEmpty() || underWay > 1) {
            underWay--;
            return;
        }
        Message message = next;
        List<PeerCall> due = waiting;
        waiting = message.room;
        send(due, message);
    }
}
