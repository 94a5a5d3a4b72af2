/** Gives bytes back with the last answer, even if none were taken: the budget grows. */
class ParallelWrite {
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        of.add(answer);
        if (of == round && !decided) {
            decided = round.isDecided();
            return decided ? settle(round.result()) : null;
        }
        if (awaited.isEmpty()) {
            context.copyMemory().giveBack(request.valueBytes());
        }
        return waiting == null ? null : settle(waiting);
    }
}
