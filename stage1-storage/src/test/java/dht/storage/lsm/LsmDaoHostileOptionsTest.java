package dht.storage.lsm;

import dht.storage.TestOptions;
import dht.storage.contract.DaoContract;

/** The engine with one entry per memtable and per block. */
class LsmDaoHostileOptionsTest extends LocalEngine implements DaoContract {
    LsmDaoHostileOptionsTest() {
        super(TestOptions.hostile().build());
    }
}
