/** Gives a key that lies at a token's place to the next token. */
class ConsistentPlacement {
    private int firstTokenFor(long keyHash) {
        long place = place(keyHash);
        int token = starts[startIndex(place)];
        while (token < tokens.length && place(tokens[token]) <= place) {
            token++;
        }
        return token == tokens.length ? 0 : token;
    }
}
