/**
 * Servers in containers, with Testcontainers. A module that uses this package must declare that
 * dependency itself.
 *
 * <p>In reading order: {@link dht.testkit.container.Containers} makes nodes; {@link
 * dht.testkit.container.ContainerNode} is one node, started from a {@link
 * dht.testkit.container.ServerImage}, whose base is a {@link dht.testkit.container.RuntimeImage};
 * {@link dht.testkit.container.ClusterNetwork} connects the nodes, and {@link
 * dht.testkit.container.SlowNetwork} slows it down; {@link dht.testkit.container.Docker} removes
 * everything when the tests have ended.
 */
package dht.testkit.container;
