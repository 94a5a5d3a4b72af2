/**
 * Compiles and tests exercises for {@code ./workbook}, one request after another in the same warm
 * JVM. In reading order: {@link dht.testkit.exercise.Worker} reads requests and writes answers;
 * {@link dht.testkit.exercise.SourceOutline} finds the members of a source file; {@link
 * dht.testkit.exercise.Compilation} compiles a few sources into a folder of their own; {@link
 * dht.testkit.exercise.TestRun} runs tests with those classes, which an {@link
 * dht.testkit.exercise.OverlayClassLoader} finds before all others.
 */
package dht.testkit.exercise;
