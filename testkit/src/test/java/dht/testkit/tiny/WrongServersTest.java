package dht.testkit.tiny;

import dht.testkit.runner.Stage2Suite;
import java.util.Set;
import java.util.stream.Stream;

class WrongServersTest extends WrongServers {
    WrongServersTest() {
        super( // ProcessServerTest has those.
                Stage2Suite.class,
                Set.of(
                        "process_onSigterm_exitsWith0",
                        "request_duringAPause_isAnsweredAfterIt",
                        "range_largerThanMemory_isComplete"));
    }

    @Override
    Stream<Wrong> wrongServers() {
        return Stream.of(
                        WrongEntities.all(),
                        WrongKeys.all(),
                        WrongFraming.all(),
                        WrongConnections.all(),
                        WrongRanges.all(),
                        WrongLives.all(),
                        WrongOverloads.all())
                .flatMap(servers -> servers);
    }
}
