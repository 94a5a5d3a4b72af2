/** Believes that a chunk comes as a whole: what is there is all of its data. */
class ChunkDecoder {
    int feed(byte[] bytes, int from, int to) throws RequestException {
        dataLength = 0;
        int at = from;
        while (at < to && state != State.DONE) {
            if (state == State.DATA) {
                dataStart = at;
                dataLength = (int) Math.min(to - at, size);
                begin(State.DATA_CR);
                return at + dataLength;
            }
            feedLine(bytes[at++]);
        }
        return at;
    }
}
