/** Checks only the budget: a replica that is behind falls further and further behind. */
class ParallelWrite {
    private boolean tryKeepMemory(WriteResult result) {
        keepsMemory = context.copyMemory().tryTake(request.valueBytes());
        return keepsMemory;
    }
}
