package dht.testkit.contract;

import dht.testkit.ServerUnderTest;
import java.util.function.Consumer;

/**
 * Something that befalls one node, how that shows, and how it ends. Immutable.
 *
 * @param name in words
 * @param begin makes it happen
 * @param effect shows as long as it lasts
 * @param end makes it end; the node may take a moment to be back
 */
record Fault(
        String name,
        Consumer<ServerUnderTest> begin,
        FaultSymptom symptom,
        Consumer<ServerUnderTest> end) {
    static final Fault KILL =
            new Fault(
                    "killed and started again",
                    ServerUnderTest::kill,
                    FaultSymptom.NO_ANSWER,
                    ServerUnderTest::start);
    static final Fault RESTART =
            new Fault(
                    "stopped and started again",
                    ServerUnderTest::stop,
                    FaultSymptom.NO_ANSWER,
                    ServerUnderTest::start);
    static final Fault PAUSE =
            new Fault(
                    "paused",
                    ServerUnderTest::pause,
                    FaultSymptom.NO_ANSWER,
                    ServerUnderTest::resume);
    static final Fault NETWORK_CUT =
            new Fault(
                    "cut off",
                    ServerUnderTest::cutOff,
                    FaultSymptom.NO_ANSWER,
                    ServerUnderTest::reconnect);
    static final Fault SLOW_NETWORK =
            new Fault(
                    "slowed down",
                    ServerUnderTest::slowDown,
                    FaultSymptom.SLOW,
                    ServerUnderTest::reconnect);
    static final Fault FULL_DISK =
            new Fault(
                    "out of disk",
                    ServerUnderTest::fillDisk,
                    FaultSymptom.NO_ROOM,
                    ServerUnderTest::freeDisk);
}
