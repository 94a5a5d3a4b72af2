package dht.storage.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.sstable.Tables;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MergingCursorTest {
    /** Walks a list, and remembers whether it was closed. */
    private static final class ListCursor implements EntryCursor {
        private final List<String> entries;
        private int next;
        private EntryView view;
        private int closed;

        ListCursor(Collection<String> entries) {
            this.entries = List.copyOf(entries);
        }

        @Override
        public boolean next() {
            assertThat(next).as("asked on behind the end").isLessThanOrEqualTo(entries.size());
            if (next == entries.size()) {
                next++;
                return false;
            }
            view = Tables.view(entries.get(next++));
            return true;
        }

        @Override
        public EntryView entry() {
            return view;
        }

        @Override
        public void close() {
            closed++;
        }
    }

    private static List<String> merge(List<List<String>> sources) {
        List<ListCursor> cursors = sources.stream().map(ListCursor::new).toList();
        List<String> merged = Tables.rest(new MergingCursor(cursors));
        assertThat(cursors).allMatch(cursor -> cursor.closed == 1);
        return merged;
    }

    @Test
    void next_noCursors_isFalse() {
        assertThat(merge(List.of())).isEmpty();
        assertThat(merge(List.of(List.of(), List.of()))).isEmpty();
    }

    @Test
    void next_sourcesApart_goOneAfterAnother() {
        assertThat(merge(List.of(List.of("c=1@1", "d=1@1"), List.of(), List.of("a=1@1", "b=1@1"))))
                .containsExactly("a=1@1", "b=1@1", "c=1@1", "d=1@1");
    }

    @Test
    void next_sameKey_newestWinsWhereverItIs() {
        assertThat(merge(List.of(List.of("a=1@1"), List.of("a=3@3"), List.of("a=2@2"))))
                .containsExactly("a=3@3");
        assertThat(merge(List.of(List.of("a=3@3", "b=1@1"), List.of("a=1@1", "b=2@2"))))
                .containsExactly("a=3@3", "b=2@2");
    }

    @Test
    void next_sameStamp_tombstoneThenGreaterValueWins() {
        assertThat(merge(List.of(List.of("a=x@5"), List.of("a=deleted@5"), List.of("a=y@5"))))
                .containsExactly("a=deleted@5");
        assertThat(merge(List.of(List.of("a=x@5"), List.of("a=xx@5"), List.of("a=b@5"))))
                .containsExactly("a=xx@5");
        assertThat(merge(List.of(List.of("a=x@5"), List.of("a=x@5")))).containsExactly("a=x@5");
    }

    @Test
    void next_tombstones_areShown() {
        assertThat(merge(List.of(List.of("a=deleted@2", "b=1@1"), List.of("a=1@1"))))
                .containsExactly("a=deleted@2", "b=1@1");
    }

    @Test
    void next_afterTheEnd_staysFalse() {
        try (MergingCursor merged = new MergingCursor(List.of(new ListCursor(List.of("a=1@1"))))) {
            assertThat(merged.next()).isTrue();
            assertThat(merged.next()).isFalse();
            assertThat(merged.next()).isFalse();
        }
    }

    @Test
    void next_randomSources_agreeWithAMap() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<List<String>> sources = new ArrayList<>();
            TreeMap<String, String> expected = new TreeMap<>();
            for (int i = random.nextInt(9); i > 0; i--) {
                TreeMap<String, String> source = new TreeMap<>();
                for (int j = random.nextInt(20); j > 0; j--) {
                    String key = "k" + random.nextInt(10, 40);
                    source.put(key, version(random, key));
                }
                sources.add(List.copyOf(source.values()));
                source.forEach(
                        (key, version) -> expected.merge(key, version, MergingCursorTest::newer));
            }

            assertThat(merge(sources))
                    .as("seed=%d", seed)
                    .containsExactlyElementsOf(expected.values());
        }
    }

    private static String version(SplittableRandom random, String key) {
        String value = random.nextInt(4) == 0 ? "deleted" : "v" + random.nextInt(3);
        return key + "=" + value + "@" + random.nextInt(4);
    }

    /** By the rule of Dao, said once more: stamp, tombstone, greater value. */
    private static String newer(String a, String b) {
        return rank(a).compareTo(rank(b)) >= 0 ? a : b;
    }

    private static String rank(String entry) {
        String value = entry.substring(entry.indexOf('=') + 1, entry.indexOf('@'));
        return entry.charAt(entry.length() - 1) + (value.equals("deleted") ? "z" : "a") + value;
    }
}
