/**
 * The promises of servers, as tests over HTTP.
 *
 * <p>In reading order: {@link dht.testkit.contract.StatusContract}; {@link
 * dht.testkit.contract.EntityContract} with {@link dht.testkit.contract.ConcurrencyContract};
 * {@link dht.testkit.contract.HostileInputContract}, which is {@link
 * dht.testkit.contract.KeySyntaxContract}, {@link dht.testkit.contract.ConnectionContract} and
 * {@link dht.testkit.contract.FramingContract}, the last with {@link
 * dht.testkit.contract.ChunkedBodyContract} and {@link dht.testkit.contract.ExpectContract}; {@link
 * dht.testkit.contract.RangeContract} with {@link dht.testkit.contract.RangeFramingContract} and
 * {@link dht.testkit.contract.RangeStreamingContract}; {@link
 * dht.testkit.contract.LifecycleContract}; {@link dht.testkit.contract.DurabilityContract}; {@link
 * dht.testkit.contract.OverloadContract}; {@link dht.testkit.contract.HostileCrowdContract}; for
 * clusters {@link dht.testkit.contract.ShardingContract}, which is {@link
 * dht.testkit.contract.OwnershipContract} and {@link dht.testkit.contract.OwnerLossContract}, and
 * {@link dht.testkit.contract.QuorumContract}, which is {@link
 * dht.testkit.contract.ReplicaParameterContract}, {@link
 * dht.testkit.contract.ReplicaPlacementContract}, {@link dht.testkit.contract.QuorumReadContract},
 * {@link dht.testkit.contract.NodeLossContract}, {@link dht.testkit.contract.NodeReturnContract}
 * and {@link dht.testkit.contract.QuorumHistoryContract}; {@link
 * dht.testkit.contract.AtomicReadContract} and {@link dht.testkit.contract.RegularReadContract},
 * which share an {@link dht.testkit.contract.Inversion}; {@link
 * dht.testkit.contract.FaultContract}, which is a {@link dht.testkit.contract.HistoryContract} as
 * those of quorums are, and {@link dht.testkit.contract.HealingFaultContract}; {@link
 * dht.testkit.contract.ClusterStopContract}; {@link dht.testkit.contract.ReplicaFsyncContract};
 * {@link dht.testkit.contract.StalledForwardingContract}; {@link
 * dht.testkit.contract.ClockAheadContract} and {@link dht.testkit.contract.ClockBehindContract};
 * {@link dht.testkit.contract.InternalPortContract}; {@link dht.testkit.contract.NamesContract};
 * {@link dht.testkit.contract.HealingContract} with {@link dht.testkit.contract.ReadRepairContract}
 * and {@link dht.testkit.contract.HintedStopContract}.
 *
 * <p>The contracts share these classes: {@link dht.testkit.contract.KeySpace} is the entries of one
 * range test; {@link dht.testkit.contract.StalledClients} send or read nothing, while {@link
 * dht.testkit.contract.Bystanders} and {@link dht.testkit.contract.SteadyClients} must be served;
 * {@link dht.testkit.contract.ClientBurst} is more clients than a server can serve; {@link
 * dht.testkit.contract.Replicas} sends requests with a quorum; a {@link
 * dht.testkit.contract.SilentNode} takes the place of one that is down; {@link
 * dht.testkit.contract.Ledger} records which values a key may have after a crash. A {@link
 * dht.testkit.contract.FaultRun} causes a {@link dht.testkit.contract.Fault} in one node after
 * another, while a {@link dht.testkit.contract.FaultLoad} runs. Each fault has a {@link
 * dht.testkit.contract.FaultInterval} and must show a {@link dht.testkit.contract.FaultSymptom};
 * {@link dht.testkit.contract.Failures} checks that no other request failed.
 */
package dht.testkit.contract;
