package dht.storage.lsm;

import dht.storage.Durability;
import dht.storage.TestOptions;
import dht.storage.contract.DaoContract;

/** The engine that syncs each write. */
class LsmDaoFsyncTest extends LocalEngine implements DaoContract {
    LsmDaoFsyncTest() {
        super(TestOptions.small().durability(Durability.FSYNC).build());
    }
}
