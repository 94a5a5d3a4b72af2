package dht.stage4;

import dht.testkit.contract.HealingFaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * One of three processes is damaged, or away until the others have dropped tombstones, while
 * clients send requests. Small memtables make flushes and compactions frequent.
 */
@LongByNature
class Stage4HealingFaultIT implements HealingFaultContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes(
                "--gc-grace=5s",
                "--scrub-interval=100ms",
                "--scrub-rate=64m",
                "--memtable-size=256k",
                "--write-stall-max=5s");
    }
}
