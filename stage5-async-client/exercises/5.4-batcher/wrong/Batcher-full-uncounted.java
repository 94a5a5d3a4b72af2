/** Counts only the message of an idle node: the others seem to belong to it. */
class Batcher {
    void add(Question question) {
        Message message = new Message();
        List<Question> due;
        synchronized (this) {
            if (underWay == 0) {
                due = List.of(question);
                underWay++;
            } else {
                waiting.add(question);
                if (waiting.size() < sizeMax) {
                    return;
                }
                due = waiting;
                waiting = message.room;
            }
        }
        send(due, message);
    }
}
