package dht.testkit.contract;

/** All promises about replicated keys, with all nodes up or with one node down. */
public interface QuorumContract
        extends ReplicaParameterContract,
                ReplicaPlacementContract,
                QuorumReadContract,
                NodeLossContract,
                QuorumHistoryContract {}
