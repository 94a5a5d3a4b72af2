package dht.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;
import java.util.HexFormat;

/**
 * What two nodes compare to find out whether they mean the same cluster: a hash of all that decides
 * where keys live. Immutable.
 *
 * @param text 16 hexadecimal digits
 */
public record Fingerprint(String text) {
    /**
     * @param placement how keys are placed, such as {@code rendezvous} or {@code consistent/512}
     */
    public static Fingerprint of(Topology topology, String placement) {
        byte[] all = (placement + '\n' + String.join("\n", topology.names())).getBytes(UTF_8);
        return new Fingerprint(HexFormat.of().toHexDigits(Hashing.xxh3_64().hashBytesToLong(all)));
    }
}
