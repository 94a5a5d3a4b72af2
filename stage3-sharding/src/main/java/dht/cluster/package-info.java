/**
 * Who belongs to the cluster: {@link dht.cluster.NodeAddress} is a node, {@link
 * dht.cluster.Topology} all of them. {@link dht.cluster.InternalPort} says where they serve each
 * other. {@link dht.cluster.Fingerprint} tells whether two nodes mean the same cluster. {@link
 * dht.cluster.ClusterFlags} are what the command line says of it.
 */
package dht.cluster;
