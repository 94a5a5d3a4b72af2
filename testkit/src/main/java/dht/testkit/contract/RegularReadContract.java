package dht.testkit.contract;

import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import org.junit.jupiter.api.Test;

/**
 * Reads with {@code reads=regular} may return an older value than an earlier read. They do so in
 * this test, if no repair has changed the replicas before. Not part of any suite, because a server
 * may promise more.
 */
public interface RegularReadContract extends ClusterContract {
    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void get_regularAfterAnother_returnsTheOlderValue() {
        var older = Values.small();
        var newer = Values.small();
        var reads =
                Inversion.of(
                        freshCluster(),
                        older,
                        "reads=regular",
                        target -> Request.put(target, newer));
        reads.first().expectValue(newer);
        reads.second().expectValue(older);
    }
}
