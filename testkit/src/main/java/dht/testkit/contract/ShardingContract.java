package dht.testkit.contract;

/** What nodes that share the keys out among them promise, whole and with one of them gone. */
public interface ShardingContract extends OwnershipContract, OwnerLossContract {}
