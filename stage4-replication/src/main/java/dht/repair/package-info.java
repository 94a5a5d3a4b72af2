/**
 * Brings versions to replicas that lack them, without a client's help. {@link
 * dht.repair.ReplicaHealing} is the {@link dht.replication.Healing} that coordinators tell what
 * they meet; it does what {@link dht.repair.RepairOptions}, from {@link dht.repair.RepairFlags},
 * ask for, and {@link dht.repair.RepairMetrics} tells its {@link dht.repair.RepairCounts}.
 *
 * <p>A key that a read has met in different versions waits for {@link dht.repair.ReadRepair}, and
 * {@link dht.repair.KeyRepair} makes its replicas alike: it asks them all, with {@link
 * dht.repair.Awaited}, and sends the newest {@link dht.repair.Copy} to those without it. The work
 * is done by a {@link dht.repair.RepairThread}, at a {@link dht.repair.Pace}.
 *
 * <p>{@link dht.repair.Hints} keep writes that other nodes have missed: a {@link
 * dht.repair.HintQueue} of {@link dht.repair.HintFile}s for each node, within one {@link
 * dht.repair.DiskBudget}, from which a {@link dht.repair.HintSender} delivers.
 */
package dht.repair;
