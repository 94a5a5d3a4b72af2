package dht.stage4;

import dht.testkit.contract.AntiEntropyContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Three processes, which only comparisons can heal. */
@LongByNature
class Stage4AntiEntropyProcessIT implements AntiEntropyContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes("--hint-window=0s", "--read-repair=off");
    }
}
