/** Checks the round after each answer: once it is decided, each further answer answers the client again. */
class ParallelWrite {
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        if (of == round) {
            round.add(answer);
            decided = round.isDecided();
        }
        if (awaited.isEmpty() && keepsMemory) {
            keepsMemory = false;
            context.copyMemory().giveBack(request.valueBytes());
        }
        return decided ? settle(round.result()) : null;
    }
}
