package dht.stage5;

import dht.testkit.contract.HostileCrowdContract;
import dht.testkit.junit.Alone;
import dht.testkit.node.NodeFactory;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Three nodes with little memory, one of them among thousands of hostile connections. */
@Alone
@EnabledOnOs(OS.LINUX)
class Stage5CrowdProcessIT implements HostileCrowdContract {
    @Override
    public long connectionMemoryBytes() {
        return 32 << 20;
    }

    @Override
    public NodeFactory servers() {
        return Stage5Nodes.asUsersRunThem("--memtable-size=4m", "--connection-memory-max=32m");
    }
}
