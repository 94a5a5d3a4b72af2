/** Does not try again while memory is held, although the last answer releases the memory first. */
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
        return waiting == null || keepsMemory ? null : settle(waiting);
    }

    private WriteResult settle(WriteResult result) {
        boolean isNow =
                result instanceof WriteResult.Outdated || awaited.isEmpty() || tryKeepMemory(result);
        if (!isNow) {
            waiting = result;
        }
        return isNow ? result : null;
    }
}
