/**
 * Where requests are worked on. {@link dht.execution.ExecutionFlags} say which {@link
 * dht.execution.ExecutorKind}; that makes a {@link dht.execution.CountedExecutor}: a {@link
 * dht.execution.WorkerPool}, whose {@link dht.execution.Worker}s take from a {@link
 * dht.execution.TaskQueue}; {@link dht.execution.VirtualThreads}; or {@link dht.execution.InPlace}.
 * What none of them can take in time is refused, and counted, by {@link dht.execution.Rejections}.
 */
package dht.execution;
