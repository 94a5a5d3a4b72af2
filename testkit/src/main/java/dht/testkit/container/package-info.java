/**
 * Servers in containers, through Testcontainers, which whoever uses this package brings along.
 *
 * <p>In reading order: {@link dht.testkit.container.Containers} makes nodes; {@link
 * dht.testkit.container.ContainerNode} is one of them, run from a {@link
 * dht.testkit.container.ServerImage} that stands on a {@link dht.testkit.container.RuntimeImage},
 * and joined to the {@link dht.testkit.container.ClusterNetwork}, which {@link
 * dht.testkit.container.SlowNetwork} slows down; {@link dht.testkit.container.Docker} sees to it
 * that nothing outlives the tests.
 */
package dht.testkit.container;
