package dht.testkit.contract;

import dht.testkit.history.RegisterKind;
import dht.testkit.junit.ClusterContract;

/** A contract whose tests check a history: all requests of all clients, with their answers. */
public interface HistoryContract extends ClusterContract {
    /** What a read promises if the request does not contain {@code reads=}. */
    default RegisterKind reads() {
        return RegisterKind.REGULAR;
    }
}
