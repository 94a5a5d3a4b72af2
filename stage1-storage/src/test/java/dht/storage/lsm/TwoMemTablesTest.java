package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.TestOptions;
import dht.storage.simulation.Operation.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two versions of one key, each in its own memtable, while nothing can be flushed. */
@Timeout(30)
class TwoMemTablesTest {
    private SimulatedEngine engine;

    @BeforeEach
    void start() {
        engine = new SimulatedEngine(TestOptions.hostile().build());
        engine.faults.fail(operation -> operation.is(Kind.CREATE, ".sst"));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void get_sameStampAsValue_isTheTombstone() {
        engine.dao().put("key", "value", 10);
        engine.dao().delete("key", 10);

        assertThat(engine.dao().get("key")).isEqualTo("deleted@10");
        assertThat(engine.stats().tableCount()).isZero();
    }

    @Test
    void get_sameStampLesserBytesFirst_isTheGreaterBytes() {
        engine.dao().put("key", "a", 10);
        engine.dao().put("key", "b", 10);

        assertThat(engine.dao().get("key")).isEqualTo("b@10");
        assertThat(engine.dao().all()).containsExactly("key=b@10");
    }

    @Test
    void get_lateWithOlderStamp_isTheNewer() {
        engine.dao().put("key", "new", 20);
        engine.dao().put("key", "late", 10);

        assertThat(engine.dao().get("key")).isEqualTo("new@20");
        assertThat(engine.dao().all()).containsExactly("key=new@20");
    }
}
