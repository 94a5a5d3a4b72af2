/**
 * Runs a stage's suite outside of any build, against a server in any language.
 *
 * <p>In reading order: {@link dht.testkit.runner.Main} is the command line; {@link
 * dht.testkit.runner.Stage1Suite} names the contracts of a single server, {@link
 * dht.testkit.runner.ShardingSuite} and {@link dht.testkit.runner.Stage4Suite} those of a cluster;
 * {@link dht.testkit.runner.SuiteRun} runs them, and {@link dht.testkit.runner.SuppliedFactory}
 * passes them the servers; each test gives a {@link dht.testkit.runner.TestResult}, and {@link
 * dht.testkit.runner.Report} prints them.
 */
package dht.testkit.runner;
