package dht.storage.lsm;

import dht.storage.StorageOptions;
import dht.storage.contract.DaoContract;
import java.time.Duration;

/** The engine with the default options, except that a write may stall longer on a busy disk. */
class LsmDaoDefaultsTest extends LocalEngine implements DaoContract {
    LsmDaoDefaultsTest() {
        super(StorageOptions.builder().writeStallMax(Duration.ofMinutes(1)).build());
    }
}
