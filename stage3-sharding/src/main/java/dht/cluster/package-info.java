/**
 * The members of the cluster. {@link dht.cluster.NodeAddress} identifies a node, {@link
 * dht.cluster.Topology} contains all nodes. {@link dht.cluster.InternalPort} is the port on which
 * nodes serve each other. {@link dht.cluster.Fingerprint} shows whether two nodes have the same
 * view of the cluster. {@link dht.cluster.ClusterFlags} are the options of the command line.
 */
package dht.cluster;
