/**
 * Records what many clients saw, and checks whether a cluster that keeps its promises can show
 * this.
 *
 * <p>In reading order: {@link dht.testkit.history.Operation} is one request with its times and its
 * outcome; {@link dht.testkit.history.History} collects them from {@link
 * dht.testkit.history.RecordingClient}s; {@link dht.testkit.history.HistoryCheck} checks them, and
 * its documentation defines the check; {@link dht.testkit.history.Verdict} lists each {@link
 * dht.testkit.history.Violation} of a {@link dht.testkit.history.Rule}. Which rules it checks
 * depends on the {@link dht.testkit.history.RegisterKind}.
 *
 * <p>Below, {@link dht.testkit.history.KeyCheck} orders the {@link dht.testkit.history.SeenWrite}s
 * of one key, as of a regular register. {@link dht.testkit.history.AtomicCheck} looks for a moment
 * for each operation: it collects each put and its reads in a {@link dht.testkit.history.PutZone},
 * compares the {@link dht.testkit.history.ForwardZones}, and finds moments for deletions with an
 * {@link dht.testkit.history.AbsenceSchedule}.
 */
package dht.testkit.history;
