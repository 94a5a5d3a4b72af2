package dht.stage5;

import dht.testkit.junit.ClusterContract;
import dht.testkit.node.NodeFactory;

/** A cluster that asks replicas in one particular way. */
abstract class OnRung implements ClusterContract {
    private final Rung rung;

    OnRung(Rung rung) {
        this.rung = rung;
    }

    @Override
    public final NodeFactory servers() {
        return rung.servers();
    }
}
