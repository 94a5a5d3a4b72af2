/**
 * Executes requests on other threads than those that read them. {@link
 * dht.execution.ExecutionFlags} select an {@link dht.execution.ExecutorKind}, and that creates a
 * {@link dht.execution.CountedExecutor}: a {@link dht.execution.WorkerPool}, whose {@link
 * dht.execution.Worker}s take tasks from a {@link dht.execution.TaskQueue}; {@link
 * dht.execution.VirtualThreads}; or {@link dht.execution.InPlace}. Requests that an executor cannot
 * execute in time are rejected and counted by {@link dht.execution.Rejections}.
 */
package dht.execution;
