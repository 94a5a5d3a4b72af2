/**
 * Lets a test run out of memory at any point it likes: {@link
 * dht.testkit.allocation.AllocationLoader} loads classes so that they ask {@link
 * dht.testkit.allocation.Allocations} before each allocation. The classes themselves know nothing
 * of it. {@link dht.testkit.allocation.AllocationSchedules} repeats a random test with many seeds.
 */
package dht.testkit.allocation;
