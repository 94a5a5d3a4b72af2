/** Lets the write wait until nobody is awaited: one answer, but the replica that is asleep holds it up. */
class ParallelWrite {
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        if (of == round && !decided) {
            round.add(answer);
            decided = round.isDecided();
            return decided ? settle(round.result()) : null;
        }
        if (awaited.isEmpty() && keepsMemory) {
            keepsMemory = false;
            context.lateMemory().giveBack(request.valueBytes());
        }
        return waiting == null || !awaited.isEmpty() ? null : settle(waiting);
    }
}
