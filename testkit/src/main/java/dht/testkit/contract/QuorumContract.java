package dht.testkit.contract;

/** Replicas of a key on several nodes: what they promise together, up or down. */
public interface QuorumContract
        extends ReplicaParameterContract,
                ReplicaPlacementContract,
                QuorumReadContract,
                NodeLossContract,
                QuorumHistoryContract {}
