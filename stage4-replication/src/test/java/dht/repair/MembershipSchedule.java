package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.storage.file.LocalDirectory;
import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * One random schedule of greetings and restarts that runs out of memory from time to time. The
 * state that the node uses must be on disk. When there is memory again, the node must come to the
 * right conclusion.
 */
final class MembershipSchedule implements LongConsumer {
    private static final int STEPS = 30;
    private static final NodeAddress SELF = new NodeAddress("a", 1);
    private static final NodeAddress B = new NodeAddress("b", 1);
    private static final NodeAddress C = new NodeAddress("c", 1);
    private static final UUID LOST = new UUID(1, 1);

    private SplittableRandom random;
    private boolean isLost;
    private LocalDirectory directory;
    private Contact contact;
    private Membership node;

    @Override
    public void accept(long seed) {
        Allocations.heal();
        random = new SplittableRandom(seed);
        isLost = random.nextBoolean();
        try {
            Path path = Files.createTempDirectory("membership");
            directory = LocalDirectory.open(path);
            node = open(NodeState.first(NodePhase.ASKING, 1, List.of(B, C)));
            for (int i = 0; i < STEPS; i++) {
                step();
                check();
            }
            node.heard(greeting(B));
            node.heard(greeting(C));
            check();
            assertThat(node.phase()).isEqualTo(isLost ? NodePhase.REBUILDING : NodePhase.READY);
            directory.close();
            HealingSchedule.deleteAll(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            Allocations.heal();
        }
    }

    private void step() throws IOException {
        if (random.nextInt(10) == 0) {
            node = open(NodeStateFile.load(directory).orElseThrow());
        }
        Greeting greeting = greeting(random.nextBoolean() ? B : C);
        Allocations.fail(random.nextInt(60), random.nextInt(1, 4));
        try {
            if (random.nextInt(4) == 0) {
                contact.store();
            } else {
                node.heard(greeting);
            }
        } catch (OutOfMemoryError _) {
            // The next greeting tells the same.
        } finally {
            Allocations.heal();
        }
    }

    private void check() throws IOException {
        NodeState file = NodeStateFile.load(directory).orElseThrow();
        NodePhase phase = node.phase();
        assertThat(node.refusal() == null).isEqualTo(phase == NodePhase.READY);
        if (phase != NodePhase.ASKING) {
            assertThat(file.phase()).isEqualTo(phase);
        }
        for (NodeAddress other : List.of(B, C)) {
            if (node.greeting(other).yours().isPresent()) {
                assertThat(file.of(other).identity()).isEqualTo(identity(other));
            }
        }
    }

    private Membership open(NodeState state) throws IOException {
        StoredState stored = new StoredState(directory, state);
        contact = new Contact(new Absence(1, LastContact.at(0), Duration.ZERO), stored, 2);
        OtherNodes others = new OtherNodes(List.of(SELF, B, C), SELF);
        return new Membership(SELF, others, stored, contact, () -> Instant.ofEpochMilli(2));
    }

    /** Only C remembers what was lost. */
    private Greeting greeting(NodeAddress other) {
        Optional<UUID> yours =
                isLost && other.equals(C) ? Optional.of(LOST) : Optional.<UUID>empty();
        return new Greeting(other, identity(other), NodePhase.READY, yours, 0, Duration.ZERO);
    }

    private static UUID identity(NodeAddress other) {
        return UUID.nameUUIDFromBytes(other.host().getBytes());
    }
}
