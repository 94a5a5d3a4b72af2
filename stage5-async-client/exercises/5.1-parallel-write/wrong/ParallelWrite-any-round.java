/** Counts whatever comes before the decision: a copy of the first round seems as good as one of the second. */
class ParallelWrite {
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        if (!decided) {
            round.add(answer);
            decided = round.isDecided();
            return decided ? settle(round.result()) : null;
        }
        if (awaited.isEmpty() && keepsMemory) {
            keepsMemory = false;
            context.lateMemory().giveBack(request.valueBytes());
        }
        return waiting == null ? null : settle(waiting);
    }
}
