/** Checks the round after each answer: once it is decided, each further answer answers the client again. */
class ParallelWrite {
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        of.add(answer);
        if (of == round) {
            decided = round.isDecided();
        }
        if (awaited.isEmpty() && keepsMemory) {
            keepsMemory = false;
            context.copyMemory().giveBack(request.valueBytes());
        }
        return decided ? settle(round.result()) : null;
    }
}
