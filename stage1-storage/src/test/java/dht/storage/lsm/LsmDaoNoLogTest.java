package dht.storage.lsm;

import dht.storage.Durability;
import dht.storage.TestOptions;
import dht.storage.contract.DaoContract;

/** The engine without a log. */
class LsmDaoNoLogTest extends LocalEngine implements DaoContract {
    LsmDaoNoLogTest() {
        super(TestOptions.small().durability(Durability.NONE).build());
    }
}
