package dht.testkit.contract;

/**
 * All promises about replicated keys, with all nodes up, with nodes down, and after their return.
 */
public interface QuorumContract
        extends ReplicaParameterContract,
                ReplicaPlacementContract,
                QuorumReadContract,
                NodeLossContract,
                NodeReturnContract,
                QuorumHistoryContract {}
