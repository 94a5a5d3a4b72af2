package dht.stage5;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.QuorumReadContract;
import dht.testkit.contract.ReplicaParameterContract;
import dht.testkit.contract.ReplicaPlacementContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Tests the answers to requests from three running processes. */
@LongByNature
class Stage5ClusterRequestsProcessIT
        implements EntityContract,
                ReplicaParameterContract,
                ReplicaPlacementContract,
                QuorumReadContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
