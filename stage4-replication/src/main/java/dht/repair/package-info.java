/**
 * Healing: copies versions to replicas that lack them, in the background. {@link
 * dht.repair.ReplicaHealing} implements {@link dht.replication.Healing}, which coordinators notify.
 * Its settings are {@link dht.repair.RepairOptions}, which come from {@link
 * dht.repair.RepairFlags}. {@link dht.repair.RepairMetrics} publishes its {@link
 * dht.repair.RepairCounts}.
 *
 * <p>If a read finds different versions of a key, the key is queued in {@link
 * dht.repair.ReadRepair}. {@link dht.repair.KeyRepair} then repairs it: it reads all replicas,
 * waiting with {@link dht.repair.BlockingCall}, and sends the newest {@link dht.repair.Copy} to the
 * replicas that lack it. A {@link dht.repair.RepairThread} does this work, and a {@link
 * dht.repair.RateLimiter} limits its rate.
 *
 * <p>{@link dht.repair.Hints} keeps writes that other nodes have missed. Each node has a {@link
 * dht.repair.HintQueue}, made of {@link dht.repair.HintFile}s with {@link dht.repair.HintKey}s. All
 * queues share one {@link dht.repair.DiskBudget}. {@link dht.repair.HintDelivery} delivers them,
 * with a {@link dht.repair.HintSender} for each node.
 *
 * <p>{@link dht.repair.NodeReplacement} rebuilds a node whose data was lost or is too old. {@link
 * dht.repair.Membership} detects this. It knows the node's {@link dht.repair.NodePhase}, its {@link
 * dht.repair.StoredState} (a {@link dht.repair.NodeState} in a {@link dht.repair.NodeStateFile}),
 * its {@link dht.repair.Contact} with other nodes and {@link dht.repair.Absence} from them, and the
 * {@link dht.repair.OtherNodes}. The {@link dht.repair.Greeter} exchanges {@link
 * dht.repair.Greeting}s with them through a {@link dht.repair.NodeClient}. Until the data is
 * complete, the node answers no reads. {@link dht.repair.Rebuild} notes its {@link
 * dht.repair.RebuildProgress}, and uses an {@link dht.repair.EntrySource}, the {@link
 * dht.repair.EntryReceiver}, which asks the other nodes' {@link dht.repair.RebuildService} for
 * {@link dht.range.EntryPage}s of its {@link dht.repair.OwnEntries}. {@link
 * dht.repair.OtherEntries} reads the entries of another node, for a {@link dht.range.ClusterRange}
 * and for {@link dht.repair.AntiEntropy}. {@link dht.repair.KeptData} moves away data that is too
 * old. While the server runs, {@link dht.repair.RunningReplacement} owns all of them. The settings
 * are {@link dht.repair.RebuildOptions}.
 *
 * <p>{@link dht.repair.Mending} receives the versions of damaged blocks from other nodes again.
 * {@link dht.repair.LostVersions} finds the lost versions.
 *
 * <p>{@link dht.repair.AntiEntropy} compares this node with each other one. A {@link
 * dht.repair.ComparisonQueue} decides when, with a {@link dht.repair.ComparisonTurn} for each node.
 * A {@link dht.repair.Comparison} walks down a {@link dht.repair.VersionTree}, which has a {@link
 * dht.repair.Digest} for each {@link dht.repair.KeyRange}, of the versions that a {@link
 * dht.repair.VersionCursor} finds and that both nodes hold: {@link dht.repair.Sharing}. The other
 * node's tree is a {@link dht.repair.RemoteTree}, which sends {@link dht.repair.RepairMessage}s.
 * {@link dht.repair.KeyRepair} repairs the keys that differ. A {@link dht.repair.RepairRateLimiter}
 * limits its rate. {@link dht.repair.ComparisonService} answers the other node's messages. It also
 * starts comparisons when the {@link dht.repair.RepairCommand} asks for them.
 */
package dht.repair;
