package dht.testkit.contract;

/**
 * All promises about a cluster whose keys are divided among the nodes, with all nodes up or with
 * one node gone.
 */
public interface ShardingContract extends OwnershipContract, OwnerLossContract {}
