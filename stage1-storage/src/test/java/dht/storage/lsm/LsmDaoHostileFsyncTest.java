package dht.storage.lsm;

import dht.storage.Durability;
import dht.storage.TestOptions;
import dht.storage.contract.DaoContract;

/** The engine that syncs each write, with one entry a memtable and a block. */
class LsmDaoHostileFsyncTest extends LocalEngine implements DaoContract {
    LsmDaoHostileFsyncTest() {
        super(TestOptions.hostile().durability(Durability.FSYNC).build());
    }
}
