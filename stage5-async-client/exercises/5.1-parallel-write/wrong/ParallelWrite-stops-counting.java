/** Adds no answer after the outcome: then this node does not learn that its stamp was accepted. */
class ParallelWrite {
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        if (of == round && !decided) {
            round.add(answer);
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
