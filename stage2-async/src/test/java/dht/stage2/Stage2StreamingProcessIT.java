package dht.stage2;

import dht.testkit.contract.RangeStreamingContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Stage 2 as its jar, with little memory, from which ranges are read. Every build tests this with
 * the processes of stage 1.
 */
@LongByNature
class Stage2StreamingProcessIT implements RangeStreamingContract {
    @Override
    public NodeFactory servers() {
        return Stage2ProcessIT.processes();
    }
}
