package dht.testkit.contract;

/**
 * The promises of nodes that divide the keys among them, with all nodes up and with one node gone.
 */
public interface ShardingContract extends OwnershipContract, OwnerLossContract {}
