/** Counts only messages to an idle node, and not the messages that are sent because the batch is full. */
class Batcher {
    void add(PeerCall question) {
        Message message = new Message();
        List<PeerCall> due;
        synchronized (this) {
            if (underWay == 0) {
                due = List.of(question);
                underWay++;
            } else {
                waiting.add(question);
                if (waiting.size() < sizeMax) {
                    next = message;
                    return;
                }
                due = waiting;
                waiting = message.room;
            }
        }
        send(due, message);
    }
}
