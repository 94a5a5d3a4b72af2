import java.util.Arrays;

/** Compares the whole hash with tokens: its lower bits are taken for a node. */
class ConsistentPlacement {
    private int firstTokenFor(long keyHash) {
        int found = Arrays.binarySearch(tokens, keyHash);
        int token = found >= 0 ? found : -found - 1;
        return token == tokens.length ? 0 : token;
    }
}
