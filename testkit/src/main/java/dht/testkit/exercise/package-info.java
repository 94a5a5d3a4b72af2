/**
 * What {@code ./workbook} asks a JVM to do for exercises, one request after another in the same
 * warm process. In reading order: {@link dht.testkit.exercise.Worker} reads requests and writes
 * answers; {@link dht.testkit.exercise.SourceOutline} tells where a source's members are; {@link
 * dht.testkit.exercise.Compilation} compiles a few sources into a folder of their own; {@link
 * dht.testkit.exercise.TestRun} runs tests with those classes, which an {@link
 * dht.testkit.exercise.OverlayClassLoader} puts before all others.
 */
package dht.testkit.exercise;
