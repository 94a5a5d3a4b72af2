package dht.storage;

import java.util.HexFormat;
import java.util.stream.Collectors;

/** Bytes laid out for people: in hexadecimal, and behind a bar on each line what they mean. */
public final class Hex {
    private Hex() {}

    public static byte[] bytes(String text) {
        return HexFormat.of()
                .parseHex(
                        text.lines()
                                .map(line -> line.replaceFirst("\\|.*", "").replace(" ", ""))
                                .collect(Collectors.joining()));
    }
}
