package dht.stage1;

/** Starts the stage 1 server. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(2);
    }
}
