/** Asks only the budget: a replica that is behind falls behind without end. */
class ParallelWrite {
    private boolean tryGoOn(WriteResult result) {
        keepsMemory = context.lateMemory().tryTake(CoordinatorContext.valueBytes(request));
        return keepsMemory;
    }
}
