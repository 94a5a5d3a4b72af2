package dht.storage.lsm;

import dht.storage.TestOptions;
import dht.storage.contract.DaoContract;

/** The engine with memtables that fill up. */
class LsmDaoSmallMemTablesTest extends LocalEngine implements DaoContract {
    LsmDaoSmallMemTablesTest() {
        super(TestOptions.small().build());
    }
}
