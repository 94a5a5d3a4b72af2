package dht.storage.lsm;

import dht.storage.Durability;
import dht.storage.TestOptions;
import dht.storage.contract.DaoContract;

/** The engine that syncs each write, with one entry per memtable and per block. */
class LsmDaoHostileFsyncTest extends LocalEngine implements DaoContract {
    LsmDaoHostileFsyncTest() {
        super(TestOptions.hostile().durability(Durability.FSYNC).build());
    }
}
