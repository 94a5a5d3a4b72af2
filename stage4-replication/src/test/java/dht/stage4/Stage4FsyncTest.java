package dht.stage4;

import dht.testkit.contract.ClusterStopContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.ExpectContract;
import dht.testkit.contract.ReplicaFsyncContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Three nodes in the JVM of the test, whose writes wait for a sync. The thread that syncs goes on
 * with the round of a write: it asks the next replica, or answers the client.
 *
 * <p>Reads are atomic: while a write waits for some syncs, a regular read may return an older
 * version than the read before it, and {@link EntityContract} allows that to no reader.
 */
@LongByNature
class Stage4FsyncTest
        implements EntityContract, ExpectContract, ReplicaFsyncContract, ClusterStopContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess("--durability=fsync", "--reads=atomic");
    }
}
