/** Lists all versions of a part that differs, however large it is: right, but not cheap. */
class Comparison {
    private void descend(Part part, Verdict verdict, int partKeys)
            throws IOException, InterruptedException {
        repairAll(part.range());
    }
}
