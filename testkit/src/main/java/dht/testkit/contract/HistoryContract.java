package dht.testkit.contract;

import dht.testkit.history.RegisterKind;
import dht.testkit.junit.ClusterContract;

/** Promises that are judged by a history: by everything that clients have asked and been told. */
public interface HistoryContract extends ClusterContract {
    /** What requests promise that do not say {@code reads=}. */
    default RegisterKind reads() {
        return RegisterKind.REGULAR;
    }
}
