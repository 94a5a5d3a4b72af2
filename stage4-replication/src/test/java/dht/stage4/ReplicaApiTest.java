package dht.stage4;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests the messages between replicas: versions with their stamps, in any order, more than once,
 * and after newer ones.
 */
class ReplicaApiTest implements ClusterContract {
    private static final String STAMP = "Timestamp-Micros";

    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess();
    }

    private static long now() {
        return System.currentTimeMillis() * 1000;
    }

    private static String target(String key, Object stamp) {
        return Target.internalEntity(key) + "&timestamp=" + stamp;
    }

    private Response put(String key, byte[] value, Object stamp) {
        return server().ask(Request.put(target(key, stamp), value));
    }

    private Response delete(String key, Object stamp) {
        return server().ask(Request.delete(target(key, stamp)));
    }

    private Response get(String key) {
        return server().ask(Request.get(Target.internalEntity(key)));
    }

    private static void expectStamp(Response response, long stamp) {
        assertThat(response.header(STAMP)).contains(Long.toString(stamp));
    }

    private static void expectNoStamp(Response response) {
        assertThat(response.header(STAMP)).isEmpty();
    }

    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    void version_stored_isToldWithItsStamp() {
        String key = Keys.unique();
        byte[] value = Values.small();
        long stamp = now();
        expectNoStamp(get(key).expectStatus(404));
        expectNoStamp(put(key, value, stamp).expectStatus(201));
        expectStamp(get(key).expectValue(value), stamp);
        expectNoStamp(delete(key, stamp + 1).expectStatus(202));
        expectStamp(get(key).expectError(404), stamp + 1);
    }

    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    void version_arrivingLate_changesNothingAndIsToldSo() {
        String key = Keys.unique();
        byte[] value = Values.small();
        long stamp = now();
        put(key, value, stamp).expectStatus(201);
        expectStamp(put(key, Values.small(), stamp - 1).expectStatus(201), stamp);
        expectStamp(delete(key, stamp - 1).expectStatus(202), stamp);
        expectStamp(get(key).expectValue(value), stamp);
        server().get(key).expectValue(value);
    }

    @Test
    @Verifies(Promise.DELETED_STAYS_DELETED)
    void version_arrivingAfterItsDeletion_staysDeleted() {
        String key = Keys.unique();
        long stamp = now();
        delete(key, stamp).expectStatus(202);
        put(key, Values.small(), stamp - 1).expectStatus(201);
        expectStamp(get(key).expectError(404), stamp);
        server().get(key).expectStatus(404);
    }

    /** Clients neither see the record of such a version nor can they ask for it. */
    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    void version_thatSomeNodesHold_showsNothingElseToClients() {
        String key = "\uDBFF\uDFFF" + Keys.unique(); // The greatest character of all.
        byte[] value = Values.small();
        server().ask(Request.put(target(key, now()) + "&from=1", value)).expectStatus(201);
        get(key).expectValue(value);
        byte[] range = server().ask(Request.get(Target.entities(key))).body();
        assertThat(range).hasSize(key.getBytes(UTF_8).length + 1 + value.length);
        server().ask(Request.get("/v0/entity?id=%FF" + key.substring(2))).expectError(400);
        server().ask(Request.get("/v0/entities?start=%FF")).expectError(400);
    }

    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    void version_arrivingTwice_isOne() {
        String key = Keys.unique();
        byte[] value = Values.small();
        long stamp = now();
        put(key, value, stamp).expectStatus(201);
        put(key, value, stamp).expectStatus(201);
        expectStamp(get(key).expectValue(value), stamp);
        delete(key, stamp + 1).expectStatus(202);
        delete(key, stamp + 1).expectStatus(202);
        expectStamp(get(key).expectStatus(404), stamp + 1);
    }

    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    void versions_ofOneStamp_areOrderedAlikeWhateverCameFirst() {
        byte[] lesser = {1};
        byte[] greater = {(byte) 0xff};
        for (List<byte[]> order : List.of(List.of(lesser, greater), List.of(greater, lesser))) {
            String key = Keys.unique();
            long stamp = now();
            order.forEach(value -> put(key, value, stamp).expectStatus(201));
            get(key).expectValue(greater);
            delete(key, stamp).expectStatus(202);
            put(key, greater, stamp).expectStatus(201);
            get(key).expectStatus(404);
        }
    }

    /** The clock of every node that has seen a stamp is past it. */
    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    void write_afterAStampFromAClockAhead_wins() {
        String key = Keys.unique();
        byte[] value = Values.small();
        put(key, Values.small(), now() + 3_600_000_000L).expectStatus(201);
        for (ServerUnderTest node : cluster().nodes()) {
            node.put(key, value).expectStatus(201);
            node.get(key).expectValue(value);
            value = Values.small();
        }
    }

    @Test
    @Verifies(Promise.REPLICAS_ARE_CHECKED)
    void stamp_thatCannotBe_isRefusedAndForgotten() {
        String key = Keys.unique();
        for (String stamp :
                List.of(
                        "9223372036854775807",
                        "999999999999999999",
                        "0",
                        "-1",
                        "",
                        "soon",
                        Long.toString(now() + 48 * 3_600_000_000L))) {
            put(key, Values.small(), stamp).expectError(400);
            delete(key, stamp).expectError(400);
        }
        get(key).expectStatus(404);
        server().put(key, Values.small()).expectStatus(201);
        long stamp = Long.parseLong(get(key).header(STAMP).orElseThrow());
        assertThat(stamp).isLessThan(now() + 24 * 3_600_000_000L);
    }

    @Test
    @Verifies(Promise.REPLICAS_ARE_CHECKED)
    void write_withoutStamp_isRefused() {
        String target = Target.internalEntity(Keys.unique());
        server().ask(Request.put(target, Values.small())).expectError(400);
        server().ask(Request.delete(target)).expectError(400);
    }
}
