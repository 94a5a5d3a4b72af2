/** Adds each answer to the present round, also those of the first round to the second one. */
class ParallelWrite {
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        round.add(answer);
        if (!decided) {
            decided = round.isDecided();
            return decided ? settle(round.result()) : null;
        }
        if (awaited.isEmpty() && keepsMemory) {
            keepsMemory = false;
            context.copyMemory().giveBack(request.valueBytes());
        }
        return waiting == null ? null : settle(waiting);
    }
}
