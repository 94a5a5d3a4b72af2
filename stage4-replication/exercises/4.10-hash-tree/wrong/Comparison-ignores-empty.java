/** Divides also a part in which the other node has nothing: each of the smaller parts costs two more messages. */
class Comparison {
    private void descend(Part part, Verdict verdict, int partKeys)
            throws IOException, InterruptedException {
        if (part.digest().count() <= VersionTree.LEAF_KEYS) {
            repairAll(part.range());
        } else {
            compare(part.range(), partKeys / VersionTree.FAN_OUT);
        }
    }
}
