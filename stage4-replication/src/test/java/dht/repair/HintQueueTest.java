package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests which hints are on disk after a normal end, after a kill, after damage, and with too little
 * room.
 */
@Timeout(60)
class HintQueueTest {
    @TempDir private Path directory;
    @TempDir private Path copies;
    private final RepairCounts counts = new RepairCounts();
    private DiskBudget budget;
    private HintQueue queue;

    @BeforeEach
    void open() throws IOException {
        open(directory, 64 << 20);
    }

    private void open(Path from, long bytesMax) throws IOException {
        budget = new DiskBudget(bytesMax);
        queue = HintQueue.open(LocalDirectory.open(from), budget, counts);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    private void add(String key, String value) {
        MemorySegment bytes = value == null ? null : MemorySegment.ofArray(value.getBytes(UTF_8));
        queue.add(key.getBytes(UTF_8), bytes, 7);
    }

    private String take() throws InterruptedException {
        Copy hint = queue.awaitOldest();
        queue.removeOldest();
        String value = hint.isTombstone() ? "-" : new String(hint.value().toArray(), UTF_8);
        return new String(hint.key(), UTF_8) + "=" + value + "@" + hint.timestampMicros();
    }

    private List<String> takeAll() throws InterruptedException {
        List<String> all = new ArrayList<>();
        while (queue.count() > 0) {
            all.add(take());
        }
        return all;
    }

    /** As a kill leaves it: what the process has mapped is in the files, and nobody tidies up. */
    private Path copyOfFiles() throws IOException {
        Path copy = Files.createTempDirectory(copies, "killed");
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".log")).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    @Test
    void hints_ofValuesAndDeletions_comeInOrderUnderTheirStamps() throws Exception {
        add("a", "1");
        add("b", null);
        add("a", "");
        assertThat(queue.count()).isEqualTo(3);
        assertThat(takeAll()).containsExactly("a=1@7", "b=-@7", "a=@7");
        assertThat(budget.takenBytes()).isZero();
    }

    @Test
    void hints_ofVersionsThatSomeNodesHold_sayHowMany() throws Exception {
        byte[] longest = "k".repeat(1024).getBytes(UTF_8);
        queue.add(HintKey.of(longest, 255), null, 7);
        queue.add(HintKey.of(longest, 0), null, 7);
        for (int from : new int[] {255, 0}) {
            Copy hint = queue.awaitOldest();
            assertThat(hint.key()).isEqualTo(longest);
            assertThat(hint.from()).isEqualTo(from);
            assertThat(hint.request().from()).isEqualTo(from);
            queue.removeOldest();
        }
    }

    @Test
    void hints_afterAnEnd_areThereStill() throws Exception {
        add("a", "1");
        add("b", null);
        assertThat(take()).isEqualTo("a=1@7");
        queue.close();
        open(directory, 64 << 20);
        assertThat(takeAll()).endsWith("b=-@7");
        add("c", "3");
        assertThat(takeAll()).containsExactly("c=3@7");
    }

    @Test
    void hints_afterAKill_areThereStill() throws Exception {
        add("a", "1");
        add("b", "2");
        Path killed = copyOfFiles();
        queue.close();
        open(killed, 64 << 20);
        assertThat(takeAll()).containsExactly("a=1@7", "b=2@7");
    }

    @Test
    void file_allOfWhoseHintsAreTaken_isGoneAtTheEnd() throws Exception {
        add("a", "1");
        takeAll();
        queue.close();
        assertThat(copyOfFiles()).isEmptyDirectory();
    }

    @Test
    void hint_beyondTheLimit_isNotKeptButCounted() throws Exception {
        queue.close();
        open(directory, 100);
        add("a", "1");
        add("b", "v".repeat(100));
        add("c", "3");
        assertThat(takeAll()).containsExactly("a=1@7", "c=3@7");
        assertThat(counts.hintWithoutRoomCount()).isEqualTo(1);
        add("d", "v".repeat(50));
        assertThat(takeAll()).hasSize(1);
    }

    @Test
    void hint_whileTheDiskIsFull_isCountedAndTheOthersStay() throws Exception {
        queue.close();
        FillingDirectory filling = new FillingDirectory(LocalDirectory.open(directory));
        queue = HintQueue.open(filling, budget, counts);
        add("a", "1");
        filling.full(true);
        add("b", "v".repeat(9 << 20)); // Too large for the file that is there.
        assertThat(counts.hintFailedCount()).isEqualTo(1);
        add("c", "3");
        filling.full(false);
        add("d", "v".repeat(9 << 20));
        assertThat(takeAll()).extracting(hint -> hint.charAt(0)).containsExactly('a', 'c', 'd');
        assertThat(budget.takenBytes()).isZero();
    }

    @Test
    void hint_afterAFileThatCouldNeitherBeMadeNorDeleted_isKept() throws Exception {
        queue.close();
        FillingDirectory filling = new FillingDirectory(LocalDirectory.open(directory));
        queue = HintQueue.open(filling, budget, counts);
        filling.fixed(true);
        add("a", "1");
        assertThat(counts.hintFailedCount()).isEqualTo(1);
        filling.fixed(false);
        add("b", "2");
        assertThat(takeAll()).containsExactly("b=2@7");
    }

    /** The thread that reports a missed write must not wait for the disk. */
    @Test
    void hints_inNewFiles_needNoSync() throws Exception {
        queue.close();
        FillingDirectory filling = new FillingDirectory(LocalDirectory.open(directory));
        filling.unsyncable(true);
        queue = HintQueue.open(filling, budget, counts);
        add("a", "1");
        add("b", "v".repeat(9 << 20)); // Too large for the file that is there.
        assertThat(counts.hintFailedCount()).isZero();
        assertThat(takeAll()).extracting(hint -> hint.charAt(0)).containsExactly('a', 'b');
    }

    @Test
    void hints_ofSeveralFiles_comeInOrder() throws Exception {
        String large = "v".repeat(5 << 20);
        for (String key : List.of("a", "b", "c")) {
            add(key, large);
        }
        assertThat(copyOfFiles()).isDirectoryContaining(file -> file.endsWith("00000002.log"));
        assertThat(takeAll()).extracting(hint -> hint.charAt(0)).containsExactly('a', 'b', 'c');
        assertThat(budget.takenBytes()).isZero();
    }

    @Test
    void file_ofOneLargeHint_hasWholeUnitsOfDisk() throws Exception {
        add("a", "v".repeat(8 << 20));

        assertThat(Files.size(copyOfFiles().resolve("00000001.log")) % (64 << 10)).isZero();
        assertThat(takeAll()).hasSize(1);
    }

    /** Bytes that are wrong are never delivered. */
    @Test
    void hint_thatIsDamaged_endsItsFile() throws Exception {
        for (String key : List.of("a", "b", "c")) {
            add(key, "value of " + key);
        }
        Path killed = copyOfFiles();
        queue.close();
        Path file = killed.resolve("00000001.log");
        byte[] bytes = Files.readAllBytes(file);
        int place =
                new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1)
                        .indexOf("value of b");
        bytes[place] ^= 1;
        Files.write(file, bytes);
        open(killed, 64 << 20);
        assertThat(counts.hintDamageCount()).isEqualTo(1);
        assertThat(takeAll()).containsExactly("a=value of a@7");
        add("d", "4");
        assertThat(takeAll()).containsExactly("d=4@7");
    }

    @Test
    void file_whoseHeaderIsDamaged_isDroppedAndCounted() throws Exception {
        add("a", "1");
        Path killed = copyOfFiles();
        queue.close();
        Path file = killed.resolve("00000001.log");
        byte[] bytes = Files.readAllBytes(file);
        bytes[0] ^= 1;
        Files.write(file, bytes);
        open(killed, 64 << 20);
        assertThat(counts.hintDamageCount()).isEqualTo(1);
        assertThat(queue.count()).isZero();
    }

    @Test
    void file_thatWasNotFinished_isDeleted() throws Exception {
        queue.close();
        Path unfinished = directory.resolve("00000005.log.new");
        Files.write(unfinished, new byte[10]);
        open(directory, 64 << 20);
        assertThat(unfinished).doesNotExist();
        add("a", "1");
        assertThat(takeAll()).containsExactly("a=1@7");
    }
}
