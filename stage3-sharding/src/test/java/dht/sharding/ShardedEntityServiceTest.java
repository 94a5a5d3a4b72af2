package dht.sharding;

import static org.assertj.core.api.Assertions.assertThat;

import dht.http.EntityRequest;
import dht.http.EntityService;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Three nodes, of which this is the second. The first byte of a key is the number of its owner. */
class ShardedEntityServiceTest {
    private static final int SELF = 1;

    private final List<String> served = new ArrayList<>();
    private final ShardedEntityService service =
            new ShardedEntityService(
                    new ByFirstByte(),
                    SELF,
                    IntStream.range(0, 3).mapToObj(this::writingDown).toList());

    private EntityService writingDown(int node) {
        return (request, _) -> served.add("key " + request.key()[0] + " on " + node);
    }

    private static final class ByFirstByte implements Placement {
        @Override
        public int nodeCount() {
            return 3;
        }

        @Override
        public int owner(byte[] key) {
            return key[0];
        }

        @Override
        public int[] preferenceList(byte[] key, int count) {
            throw new AssertionError("one owner is enough");
        }
    }

    private void serve(int... owners) {
        for (int owner : owners) {
            service.serve(new EntityRequest.Get(new byte[] {(byte) owner}, null), null);
        }
    }

    @Test
    void request_ofAnyKey_isServedByItsOwner() {
        serve(0, 1, 2);

        assertThat(served).containsExactly("key 0 on 0", "key 1 on 1", "key 2 on 2");
    }

    @Test
    void counts_afterRequests_tellOwnKeysFromOthers() {
        serve(0, 1, 1, 1, 2);

        assertThat(service.localCount()).isEqualTo(3);
        assertThat(service.forwardedCount()).isEqualTo(2);
    }
}
