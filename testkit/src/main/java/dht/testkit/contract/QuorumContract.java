package dht.testkit.contract;

/** The promises of all replicas of a key together, with all nodes up or with one node down. */
public interface QuorumContract
        extends ReplicaParameterContract,
                ReplicaPlacementContract,
                QuorumReadContract,
                NodeLossContract,
                QuorumHistoryContract {}
