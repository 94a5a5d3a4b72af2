/**
 * Which node holds which key. {@link dht.sharding.Placement} is the question, {@link
 * dht.sharding.PlacementKind} names the answers: {@link dht.sharding.RendezvousPlacement} and
 * {@link dht.sharding.ConsistentPlacement}, both on {@link dht.sharding.PlacementHash}.
 */
package dht.sharding;
