/** Looks at the round after each answer: it is decided, so the client is answered, each time. */
class ParallelWrite {
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        if (of == round) {
            round.add(answer);
            decided = round.isDecided();
        }
        if (awaited.isEmpty() && keepsMemory) {
            keepsMemory = false;
            context.lateMemory().giveBack(request.valueBytes());
        }
        return decided ? settle(round.result()) : null;
    }
}
