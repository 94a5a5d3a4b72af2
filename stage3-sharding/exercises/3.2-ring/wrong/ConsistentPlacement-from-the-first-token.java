/** Begins each search at the first token: half of the ring is read for each request. */
class ConsistentPlacement {
    private int firstTokenFor(long keyHash) {
        long place = place(keyHash);
        int token = 0;
        while (token < tokens.length && tokens[token] < place) {
            token++;
        }
        return token == tokens.length ? 0 : token;
    }
}
