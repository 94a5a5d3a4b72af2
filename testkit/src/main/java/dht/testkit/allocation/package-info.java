/**
 * Lets a test make any allocation fail, as if memory were exhausted. {@link
 * dht.testkit.allocation.AllocationLoader} changes classes while it loads them: they call {@link
 * dht.testkit.allocation.Allocations} before each allocation. Their sources stay unchanged. {@link
 * dht.testkit.allocation.AllocationSchedules} repeats a random test with many seeds.
 */
package dht.testkit.allocation;
