/**
 * Starts and stops servers of any kind.
 *
 * <p>In reading order: {@link dht.testkit.node.NodeSpec} is the parameters of a node; {@link
 * dht.testkit.node.Node} is one server; {@link dht.testkit.node.Ability} is something that only
 * some kinds of nodes can do; {@link dht.testkit.node.NodeFactory} makes nodes of one kind, {@link
 * dht.testkit.node.InProcess}, {@link dht.testkit.node.JarProcess} or {@link
 * dht.testkit.node.CommandProcess}; {@link dht.testkit.node.NodeHome} gives a node its port and
 * directories, and {@link dht.testkit.node.ClusterHome} does so for the nodes of a cluster; {@link
 * dht.testkit.node.StartFailure} says why a node did not start.
 *
 * <p>Internal classes: {@link dht.testkit.node.InProcessNode} and {@link
 * dht.testkit.node.ProcessNode} do the work, {@link dht.testkit.node.CommandLine} splits commands,
 * {@link dht.testkit.node.Readiness} checks whether a server accepts requests, {@link
 * dht.testkit.node.ProcessTree} signals a process with its children, {@link
 * dht.testkit.node.ProcessState} reads its state, {@link dht.testkit.node.ProcessLog} reads what it
 * prints, {@link dht.testkit.node.ClassArchive} lets the processes of a jar start faster, {@link
 * dht.testkit.node.Ports} leases ports, {@link dht.testkit.node.InternalPorts} a second one for
 * each node, {@link dht.testkit.node.OpenSockets} lists connections, {@link
 * dht.testkit.node.SmallDisk} is a {@link dht.testkit.node.DiskKind} that fills up, {@link
 * dht.testkit.node.Commands} runs commands of the operating system, and {@link
 * dht.testkit.node.Cleanup} removes everything when the tests end.
 */
package dht.testkit.node;
