package dht.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;
import java.util.HexFormat;

/**
 * A hash of everything that decides where keys are stored. Two nodes compare their fingerprints to
 * check that they have the same view of the cluster. Immutable.
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
