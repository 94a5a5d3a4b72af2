/** Clears the result only after answers of replicas: if the check answered the client, the next check answers again. */
class ParallelWrite {
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        if (awaited.isEmpty() && keepsMemory) {
            keepsMemory = false;
            context.copyMemory().giveBack(request.valueBytes());
        }
        of.add(answer);
        if (of == round && !decided) {
            decided = round.isDecided();
            return decided ? settle(round.result()) : null;
        }
        WriteResult result = waiting == null ? null : settle(waiting);
        if (result != null) {
            waiting = null;
        }
        return result;
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
