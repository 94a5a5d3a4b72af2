package dht.testkit.junit;

import dht.testkit.ClusterUnderTest;
import dht.testkit.node.ClusterHome.ClusterList;
import dht.testkit.node.DiskKind;
import dht.testkit.node.NodeFactory;

/**
 * A contract for a cluster: its tests need several nodes. All tests of a class share one cluster,
 * and all its nodes must run after each test. A test that stops, kills or pauses a node uses a
 * fresh cluster.
 */
public interface ClusterContract extends Contract {
    @Override
    default int nodeCount() {
        return 3;
    }

    /** The cluster that all tests of the class share. It may hold keys of other tests. */
    default ClusterUnderTest cluster() {
        return TestScope.current().sharedCluster();
    }

    /**
     * A cluster for this test alone. It has just started and is empty. It is removed after the
     * test.
     */
    default ClusterUnderTest freshCluster() {
        return freshCluster(ClusterList.ROTATED);
    }

    /** The same, with nodes of another kind, and with their data on disks of the given kind. */
    default ClusterUnderTest freshCluster(NodeFactory kind, DiskKind disk) {
        return TestScope.current().freshCluster(kind, disk);
    }

    /** The same, with nodes that get the given list of the cluster. */
    default ClusterUnderTest freshCluster(ClusterList clusterList) {
        return TestScope.current().freshCluster(clusterList);
    }
}
