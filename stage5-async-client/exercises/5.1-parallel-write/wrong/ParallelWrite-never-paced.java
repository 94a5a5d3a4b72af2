/** Asks only the budget: a replica that is behind falls behind without end. */
class ParallelWrite {
    private boolean tryGoOn(WriteResult result) {
        keepsMemory = context.lateMemory().tryTake(request.valueBytes());
        return keepsMemory;
    }
}
