package dht.testkit.contract;

import dht.testkit.ServerUnderTest;
import java.util.function.Consumer;

/**
 * A fault of one node: how it begins, how it shows, and how it ends. Immutable.
 *
 * @param name the name, in words
 * @param begin causes the fault
 * @param symptom what is visible from outside while the fault lasts
 * @param end ends the fault; the node may need a moment to recover
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
    static final Fault DIRECTORY_EMPTIED =
            new Fault(
                    "stopped, and started with an empty directory",
                    Fault::stopAndEmpty,
                    FaultSymptom.NO_ANSWER,
                    ServerUnderTest::start);
    static final Fault AWAY_FOR_LONG =
            new Fault(
                    "stopped, and started after the others have forgotten deletions",
                    ServerUnderTest::stop,
                    FaultSymptom.NO_ANSWER,
                    ServerUnderTest::start);
    static final Fault BITS_FLIPPED =
            new Fault(
                    "damaged on its disk",
                    DamagedTables::damageUntilNoticed,
                    FaultSymptom.MENDED,
                    DamagedTables::awaitMended);

    private static void stopAndEmpty(ServerUnderTest node) {
        node.stop();
        node.emptyDataDirectory();
    }
}
