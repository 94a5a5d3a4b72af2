/** Takes the question before it makes the message: if this fails, the caller thinks that the question was not taken. */
class Batcher {
    void add(PeerCall question) {
        Message message;
        List<PeerCall> due;
        synchronized (this) {
            if (underWay == 0) {
                due = List.of(question);
                message = new Message();
            } else {
                waiting.add(question);
                message = new Message();
                if (waiting.size() < sizeMax) {
                    next = message;
                    return;
                }
                due = waiting;
                waiting = message.room;
            }
            underWay++;
        }
        send(due, message);
    }
}
