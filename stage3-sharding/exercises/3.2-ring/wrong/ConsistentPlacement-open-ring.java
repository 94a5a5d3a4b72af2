/** Gives keys behind the last token to that token: the ring does not close. */
class ConsistentPlacement {
    private int firstTokenFor(long keyHash) {
        long place = place(keyHash);
        int token = starts[startIndex(place)];
        while (token < tokens.length && tokens[token] < place) {
            token++;
        }
        return Math.min(token, tokens.length - 1);
    }
}
