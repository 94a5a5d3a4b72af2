package dht.storage;

import java.util.HexFormat;
import java.util.stream.Collectors;

/** Formats bytes for people: in hexadecimal, and after a bar on each line their meaning. */
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
