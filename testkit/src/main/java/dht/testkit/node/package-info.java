/**
 * Servers of any kind, from start to end.
 *
 * <p>In reading order: {@link dht.testkit.node.NodeSpec} is what a node is told; {@link
 * dht.testkit.node.Node} is one server, and {@link dht.testkit.node.Ability} what not every kind
 * can do; {@link dht.testkit.node.NodeFactory} makes nodes of one kind, {@link
 * dht.testkit.node.InProcess}, {@link dht.testkit.node.JarProcess} or {@link
 * dht.testkit.node.CommandProcess}; {@link dht.testkit.node.NodeHome} gives a node its port and
 * directories, and {@link dht.testkit.node.ClusterHome} the nodes of a cluster theirs; {@link
 * dht.testkit.node.StartFailure} tells why one didn't come up.
 *
 * <p>Below them: {@link dht.testkit.node.InProcessNode} and {@link dht.testkit.node.ProcessNode} do
 * the work, {@link dht.testkit.node.CommandLine} splits commands, {@link
 * dht.testkit.node.Readiness} tells when a server accepts requests, {@link
 * dht.testkit.node.ProcessTree} signals a process with its children, {@link
 * dht.testkit.node.ProcessState} tells what it is doing, {@link dht.testkit.node.ProcessLog} reads
 * what it prints, {@link dht.testkit.node.ClassArchive} has a jar's processes start sooner, {@link
 * dht.testkit.node.Ports} leases ports, {@link dht.testkit.node.InternalPorts} a second one for
 * each node, {@link dht.testkit.node.OpenSockets} tells which connections are left, {@link
 * dht.testkit.node.SmallDisk} is a {@link dht.testkit.node.DiskKind} that fills up, {@link
 * dht.testkit.node.Commands} run those of the operating system, and {@link
 * dht.testkit.node.Cleanup} sees to it that nothing outlives the tests.
 */
package dht.testkit.node;
