package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.cluster.NodeAddress;
import dht.storage.StorageUnavailableException;
import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MembershipTest {
    private static final NodeAddress SELF = new NodeAddress("a", 1);
    private static final NodeAddress B = new NodeAddress("b", 1);
    private static final NodeAddress C = new NodeAddress("c", 1);
    private static final UUID IDENTITY_OF_B = UUID.randomUUID();
    private static final UUID LOST = UUID.randomUUID();
    private static final Duration GRACE = Duration.ofDays(10);
    private static final Duration SHORT = Duration.ofMinutes(1);

    @TempDir Path path;
    private LocalDirectory directory;
    private StoredState stored;
    private Contact contact;
    private OtherNodes others;
    private RebuildProgress progress;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @BeforeEach
    void open() throws IOException {
        directory = LocalDirectory.open(path);
    }

    @AfterEach
    void close() {
        directory.close();
    }

    @Test
    void newNode_whenAllOthersRememberNothing_becomesAVoter() throws IOException {
        Membership node = first();
        assertThat(isVoter(node)).isFalse();

        node.heard(from(B, NodePhase.ASKING, null));
        assertThat(isVoter(node)).as("C may remember another identity").isFalse();
        node.heard(from(C, NodePhase.ASKING, null));

        assertThat(isVoter(node)).isTrue();
        assertThat(isVoter(restarted())).isTrue();
    }

    @Test
    void newNode_whenOneOtherRemembersAnotherIdentity_isRebuilding() throws IOException {
        Membership node = first();
        node.heard(from(B, NodePhase.READY, null));
        node.heard(from(C, NodePhase.READY, LOST));

        assertThat(node.phase()).isEqualTo(NodePhase.REBUILDING);
        assertThat(isVoter(node)).isFalse();
        assertThat(restarted().phase()).isEqualTo(NodePhase.REBUILDING);
    }

    @Test
    void rebuild_isOverWhenAllOthersAreReceived_andContinuesAfterARestart() throws IOException {
        Membership node = first();
        node.heard(from(B, NodePhase.READY, LOST));
        node.heard(from(C, NodePhase.READY, LOST));
        assertThat(progress.sources()).containsExactly(B, C);
        progress.received(B);

        node = restarted();
        node.heard(from(B, NodePhase.READY, LOST));
        node.heard(from(C, NodePhase.READY, LOST));
        assertThat(progress.sources()).containsExactly(C);
        assertThat(progress.isAllReceived()).isFalse();
        progress.received(C);
        assertThat(progress.isAllReceived()).isTrue();
        node.rebuilt();
        assertThat(isVoter(node)).isTrue();
    }

    @Test
    void others_areIncompleteFromTheirWordUntilTheySayOtherwise() throws IOException {
        Membership node = first();
        assertThat(others.isIncomplete(B)).as("nothing is known yet").isFalse();

        node.heard(from(B, NodePhase.ASKING, null));
        assertThat(others.isIncomplete(B)).isTrue();
        node.heard(from(B, NodePhase.REBUILDING, null));
        assertThat(others.isIncomplete(B)).isTrue();
        assertThat(others.isIncomplete(C)).isFalse();
        node.heard(from(B, NodePhase.READY, null));
        assertThat(others.isIncomplete(B)).isFalse();
    }

    /** The writes that only the two rebuilding nodes had are lost: nobody may hide this. */
    @Test
    void rebuild_whenAMajorityIsRebuilding_isNeverOver() throws IOException {
        Membership node = first();
        node.heard(from(B, NodePhase.READY, LOST));
        node.heard(from(C, NodePhase.REBUILDING, LOST));
        assertThat(progress.sources()).containsExactly(B);
        progress.received(B);

        assertThat(progress.isAllReceived()).isFalse();
        assertThat(progress.isHopeless()).isTrue();
    }

    @Test
    void rebuild_whenANodeThatWasReceivedLosesItsData_canStillEnd() throws IOException {
        Membership node = first();
        node.heard(from(B, NodePhase.READY, LOST));
        node.heard(from(C, NodePhase.READY, LOST));
        progress.received(B);
        node.heard(from(B, NodePhase.REBUILDING, LOST));
        assertThat(progress.isHopeless()).isFalse();

        progress.received(C);
        assertThat(progress.isAllReceived()).isTrue();
    }

    @Test
    void remembered_isTheFirstIdentityUntilTheNodeKnowsThatItsDataIsLost() throws IOException {
        Membership node = ready();
        UUID empty = UUID.randomUUID();

        var told = node.heard(greeting(B, empty, NodePhase.ASKING, null, 0, Duration.ZERO));
        assertThat(told.yours()).contains(IDENTITY_OF_B);
        told = node.heard(greeting(B, empty, NodePhase.REBUILDING, null, 0, Duration.ZERO));
        assertThat(told.yours()).as("B was killed before it noted it").contains(IDENTITY_OF_B);
        assertThat(node.greeting(B).yours()).contains(empty);
        assertThat(restarted().greeting(B).yours()).contains(empty);
    }

    @Test
    void absent_forLongerThanTheGrace_isRebuiltIfAnotherNodeWasRunning() throws IOException {
        awayForLong();
        Membership node = restarted();
        assertThat(isVoter(node)).isFalse();

        node.heard(greeting(B, IDENTITY_OF_B, NodePhase.READY, null, 1, GRACE.plus(SHORT)));

        assertThat(node.phase()).isEqualTo(NodePhase.REBUILDING);
        assertThat(stored.get().keptName()).startsWith("kept-2026");
    }

    @Test
    void absent_withTheWholeCluster_isAVoterAgain() throws IOException {
        long before = awayForLong();
        Membership node = restarted();

        node.heard(greeting(B, IDENTITY_OF_B, NodePhase.ASKING, null, before, SHORT));

        assertThat(isVoter(node)).isTrue();
        assertThat(stored.get().keptName()).isEmpty();
    }

    /** It had contact with a few others, which were cut off from the majority together with it. */
    @Test
    void absent_fromHalfOfTheOthers_isRebuilt() throws IOException {
        long before = awayForLong();
        LastContact contactWithFew = new LastContact(now.toEpochMilli(), before);
        NodeState state = NodeStateFile.load(directory).orElseThrow().with(contactWithFew);
        Membership node = of(state, contactWithFew);
        assertThat(isVoter(node)).isFalse();
        assertThat(node.greeting(B).contactBeforeMillis()).isEqualTo(now.toEpochMilli());

        node.heard(greeting(B, IDENTITY_OF_B, NodePhase.READY, null, 1, GRACE.plus(SHORT)));
        assertThat(node.phase()).isEqualTo(NodePhase.REBUILDING);
    }

    @Test
    void absent_forLessThanTheGrace_isAVoterAtOnce() throws IOException {
        ready();
        contact.store();
        now = now.plus(GRACE).minus(SHORT);
        assertThat(isVoter(restarted())).isTrue();
    }

    /** B was down for a moment; before and after it, it had contact with C. */
    @Test
    void absent_whileAnotherNodeWasRestarted_isRebuilt() throws IOException {
        long before = awayForLong();
        Membership node = restarted();
        long ninthDay = before + Duration.ofDays(9).toMillis();

        node.heard(
                greeting(
                        B,
                        IDENTITY_OF_B,
                        NodePhase.READY,
                        null,
                        ninthDay,
                        Duration.ofDays(1).plus(SHORT)));

        assertThat(node.phase()).isEqualTo(NodePhase.REBUILDING);
    }

    /** The stored times of contact are inexact. */
    @ParameterizedTest
    @CsvSource({"20, READY", "21, REBUILDING"})
    void absent_withAnotherNodeThatHadContactALittleLater_isAVoterAgain(
            int minutes, NodePhase phase) throws IOException {
        long before = awayForLong();
        Membership node = restarted();
        long later = before + Duration.ofMinutes(minutes).toMillis();

        node.heard(greeting(B, IDENTITY_OF_B, NodePhase.READY, null, later, SHORT));

        assertThat(node.phase()).isEqualTo(phase);
    }

    /** The data of B was made during the absence, or B has none yet. */
    @ParameterizedTest
    @CsvSource({"READY, REBUILDING", "ASKING, ASKING", "REBUILDING, ASKING"})
    void absent_whenAnotherNodeIsNew_isRebuiltIfThatNodeIsAVoter(
            NodePhase phaseOfB, NodePhase expected) throws IOException {
        awayForLong();
        Membership node = restarted();

        node.heard(greeting(B, IDENTITY_OF_B, phaseOfB, null, 0, SHORT));

        assertThat(node.phase()).isEqualTo(expected);
        assertThat(isVoter(node)).isFalse();
    }

    /** Otherwise two nodes could move their data away, and no node would have any. */
    @Test
    void absent_whenOnlyAnIncompleteNodeHadContactLater_waitsForAnother() throws IOException {
        long before = awayForLong();
        Membership node = restarted();

        node.heard(
                greeting(B, IDENTITY_OF_B, NodePhase.REBUILDING, null, now.toEpochMilli(), SHORT));
        assertThat(node.phase()).isEqualTo(NodePhase.ASKING);
        node.heard(
                greeting(
                        C,
                        UUID.nameUUIDFromBytes(new byte[] {'c'}),
                        NodePhase.ASKING,
                        null,
                        before,
                        SHORT));

        assertThat(isVoter(node)).isTrue();
    }

    /** It may have missed deletions, and the others may have dropped the tombstones. */
    @Test
    void cutOff_forLongerThanTheGrace_isNoVoterUntilItIsRestarted() throws IOException {
        Membership node = ready();
        now = now.plus(GRACE);
        assertThat(isVoter(node)).isTrue();

        now = now.plus(SHORT);
        assertThat(node.refusal()).contains("restart it");
        assertThatThrownBy(node::vote).isInstanceOf(StorageUnavailableException.class);
        assertThat(node.greeting(B).phase()).isEqualTo(NodePhase.ASKING);

        node.heard(greeting(B, IDENTITY_OF_B, NodePhase.READY, null, 1, GRACE.plus(SHORT)));
        assertThat(isVoter(node)).isFalse();
        assertThat(node.greeting(C).phase()).isEqualTo(NodePhase.ASKING);

        node = restarted();
        node.heard(greeting(B, IDENTITY_OF_B, NodePhase.READY, null, 1, GRACE.plus(SHORT)));
        assertThat(node.phase()).isEqualTo(NodePhase.REBUILDING);
    }

    @Test
    void contact_withinTheGrace_keepsAVoter() throws IOException {
        Membership node = ready();
        for (int i = 0; i < 3; i++) {
            now = now.plus(GRACE);
            node.heard(from(B, NodePhase.READY, null));
        }
        assertThat(isVoter(node)).isTrue();
        assertThat(node.greeting(B).phase()).isEqualTo(NodePhase.READY);
    }

    /** What it has received first may have been deleted meanwhile. */
    @Test
    void rebuild_whileTheNodeIsCutOffForLongerThanTheGrace_isNotOver() throws IOException {
        Membership node = first();
        node.heard(from(B, NodePhase.READY, LOST));
        progress.received(B);
        now = now.plus(GRACE).plus(SHORT);
        node.heard(from(B, NodePhase.READY, LOST));
        progress.received(C);

        assertThatThrownBy(node::rebuilt)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("restart it");
        assertThat(node.phase()).isEqualTo(NodePhase.REBUILDING);
    }

    /**
     * The node waits for the others for longer than the grace, and only then the rebuild begins.
     */
    @Test
    void rebuild_afterALongAbsence_canEnd() throws IOException {
        awayForLong();
        Membership node = restarted();
        node.heard(greeting(B, IDENTITY_OF_B, NodePhase.READY, null, 1, GRACE.plus(SHORT)));
        node.dataKept();
        node.heard(from(B, NodePhase.READY, null));

        node.rebuilt();

        assertThat(isVoter(node)).isTrue();
    }

    /** Is ready, and away for longer than the grace; returns when it had contact before. */
    private long awayForLong() throws IOException {
        ready();
        contact.store();
        long before = now.toEpochMilli();
        now = now.plus(GRACE).plus(SHORT);
        return before;
    }

    private Membership ready() throws IOException {
        Membership node = first();
        node.heard(from(B, NodePhase.ASKING, null));
        node.heard(from(C, NodePhase.ASKING, null));
        return node;
    }

    private static boolean isVoter(Membership node) {
        return node.refusal() == null;
    }

    private Membership first() throws IOException {
        return of(
                NodeState.first(NodePhase.ASKING, now.toEpochMilli(), List.of(B, C)),
                LastContact.at(0));
    }

    private Membership restarted() throws IOException {
        NodeState state = NodeStateFile.load(directory).orElseThrow();
        return of(state, state.contact());
    }

    private Membership of(NodeState state, LastContact before) throws IOException {
        Absence absence = new Absence(now.toEpochMilli(), before, GRACE);
        others = new OtherNodes(List.of(SELF, B, C), SELF);
        stored = new StoredState(directory, state);
        contact = new Contact(absence, stored, 2);
        progress = new RebuildProgress(others, stored);
        return new Membership(SELF, others, stored, contact, () -> now);
    }

    private static Greeting from(NodeAddress node, NodePhase phase, UUID yours) {
        UUID identity = node.equals(B) ? IDENTITY_OF_B : UUID.nameUUIDFromBytes(new byte[] {'c'});
        return greeting(node, identity, phase, yours, 0, Duration.ZERO);
    }

    private static Greeting greeting(
            NodeAddress node,
            UUID identity,
            NodePhase phase,
            UUID yours,
            long contactBeforeMillis,
            Duration up) {
        Greeting sent =
                new Greeting(
                        node, identity, phase, Optional.ofNullable(yours), contactBeforeMillis, up);
        Greeting arrived = Greeting.parse(sent.toBytes());
        assertThat(arrived).isEqualTo(sent);
        return arrived;
    }
}
