package dht.storage.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.EntryView;
import dht.storage.sstable.SSTable;
import dht.storage.sstable.SSTableWriter;
import dht.storage.sstable.Tables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests what a merge of tables writes, and what it leaves out. */
class CompactionTest {
    private static final long OUTPUT = 100;

    private final Tables tables = new Tables();

    @AfterEach
    void close() {
        tables.close();
    }

    private List<String> run(Predicate<EntryView> droppable, List<SSTable> inputs)
            throws IOException {
        Compaction compaction = new Compaction(inputs, droppable);
        try (SSTableWriter writer = tables.writer(OUTPUT, compaction.entryCountMax(), 64, 10)) {
            compaction.run(writer, () -> {});
            if (writer.entryCount() == 0) {
                return List.of();
            }
            writer.finish();
        }
        return Tables.all(tables.open(OUTPUT));
    }

    private List<SSTable> inputs() throws IOException {
        return List.of(
                tables.make(3, List.of("a=deleted@30", "c=3@31", "e=deleted@2")),
                tables.make(2, List.of("a=2@20", "b=deleted@21", "d=2@22")),
                tables.make(1, List.of("a=1@10", "b=1@11", "c=1@12", "e=1@13")));
    }

    @Test
    void run_nothingDroppable_keepsTheNewestOfEachKey() throws IOException {
        assertThat(run(_ -> false, inputs()))
                .containsExactly("a=deleted@30", "b=deleted@21", "c=3@31", "d=2@22", "e=1@13");
    }

    @Test
    void run_allDroppable_dropsTombstonesOnTopOnly() throws IOException {
        List<String> asked = new ArrayList<>();

        assertThat(run(entry -> asked.add(Tables.text(entry)), inputs()))
                .containsExactly("c=3@31", "d=2@22", "e=1@13");
        assertThat(asked).containsExactly("a=deleted@30", "b=deleted@21");
    }

    @Test
    void run_oneKeyDroppable_keepsTheOtherTombstone() throws IOException {
        assertThat(run(entry -> entry.hasKey(new byte[] {'b'}), inputs()))
                .containsExactly("a=deleted@30", "c=3@31", "d=2@22", "e=1@13");
    }

    @Test
    void run_nothingRemains_writesNoEntry() throws IOException {
        assertThat(run(_ -> true, List.of(tables.make(1, List.of("a=deleted@1"))))).isEmpty();
    }

    @Test
    void entryCountMax_anyTables_isAllOfTheirEntries() throws IOException {
        assertThat(new Compaction(inputs(), _ -> false).entryCountMax()).isEqualTo(10);
    }

    @Test
    void run_longMerge_passesCheckpointsAndStopsThere() throws IOException {
        List<String> entries = new ArrayList<>();
        for (int i = 10; i < 30; i++) {
            entries.add("k" + i + "=" + "v".repeat((64 << 10) - 3) + "@1");
        }
        Compaction compaction = new Compaction(List.of(tables.make(1, entries)), _ -> false);
        int[] passed = {0};
        try (SSTableWriter writer = tables.writer(OUTPUT, 20, 64, 10)) {
            compaction.run(writer, () -> passed[0]++);
            assertThat(passed[0]).isEqualTo(5); // 20 times 64 KiB, and one a 256 KiB.
        }
        try (SSTableWriter writer = tables.writer(OUTPUT + 1, 20, 64, 10)) {
            assertThatThrownBy(
                            () ->
                                    compaction.run(
                                            writer,
                                            () -> {
                                                throw new IOException("given up");
                                            }))
                    .hasMessage("given up");
            assertThat(writer.entryCount()).isEqualTo(4);
        }
    }
}
