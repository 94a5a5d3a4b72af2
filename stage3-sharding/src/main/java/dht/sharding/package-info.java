/**
 * Decides which node has which key. {@link dht.sharding.Placement} is the interface. {@link
 * dht.sharding.PlacementKind} names its implementations, {@link dht.sharding.RendezvousPlacement}
 * and {@link dht.sharding.ConsistentPlacement}; both use {@link dht.sharding.PlacementHash}.
 */
package dht.sharding;
