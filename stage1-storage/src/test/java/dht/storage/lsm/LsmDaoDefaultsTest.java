package dht.storage.lsm;

import dht.storage.StorageOptions;
import dht.storage.contract.DaoContract;
import java.time.Duration;

/** The engine with the default options, but for the patience that a busy disk may ask for. */
class LsmDaoDefaultsTest extends LocalEngine implements DaoContract {
    LsmDaoDefaultsTest() {
        super(StorageOptions.builder().writeStallMax(Duration.ofMinutes(1)).build());
    }
}
