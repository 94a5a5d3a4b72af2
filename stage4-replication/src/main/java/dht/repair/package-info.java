/**
 * Brings versions to replicas that lack them, in the background. {@link dht.repair.ReplicaHealing}
 * implements {@link dht.replication.Healing}, which coordinators notify. Its settings are {@link
 * dht.repair.RepairOptions}, which come from {@link dht.repair.RepairFlags}. {@link
 * dht.repair.RepairMetrics} publishes its {@link dht.repair.RepairCounts}.
 *
 * <p>If a read finds different versions of a key, the key is queued in {@link
 * dht.repair.ReadRepair}. {@link dht.repair.KeyRepair} then repairs it: it reads all replicas,
 * waiting with {@link dht.repair.Awaited}, and sends the newest {@link dht.repair.Copy} to the
 * replicas that lack it. A {@link dht.repair.RepairThread} does this work, and a {@link
 * dht.repair.Pace} limits its rate.
 *
 * <p>{@link dht.repair.Hints} keeps writes that other nodes have missed. Each node has a {@link
 * dht.repair.HintQueue}, made of {@link dht.repair.HintFile}s with {@link dht.repair.HintKey}s, and
 * a {@link dht.repair.HintSender}, which delivers its hints. All queues share one {@link
 * dht.repair.DiskBudget}.
 */
package dht.repair;
