package dht.testkit.junit;

import dht.testkit.ClusterUnderTest;
import dht.testkit.node.ClusterHome.ClusterList;
import dht.testkit.node.DiskKind;
import dht.testkit.node.NodeFactory;

/**
 * Promises of several servers together. All tests of a class share one cluster, which must run and
 * be whole after each of them; one that stops, kills or pauses a node takes a fresh cluster.
 */
public interface ClusterContract extends Contract {
    @Override
    default int nodeCount() {
        return 3;
    }

    /** The cluster that all tests of the class share; it may hold anybody's keys. */
    default ClusterUnderTest cluster() {
        return TestScope.current().sharedCluster();
    }

    /** A cluster of the test's own: just started, empty, and gone after the test. */
    default ClusterUnderTest freshCluster() {
        return freshCluster(ClusterList.ROTATED);
    }

    /** The same, of nodes of another kind, with their data on disks of some kind. */
    default ClusterUnderTest freshCluster(NodeFactory kind, DiskKind disk) {
        return TestScope.current().freshCluster(kind, disk);
    }

    /** The same, of nodes that are told what the test wants. */
    default ClusterUnderTest freshCluster(ClusterList clusterList) {
        return TestScope.current().freshCluster(clusterList);
    }
}
