package dht.storage.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.LostRange;
import dht.storage.TextDao;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table knows which of its blocks could not be read, and which keys they cover. */
class DamagedBlocksTest {
    /** Each entry takes a block of this size. */
    private static final int BLOCK_BYTES = 24;

    private final Tables tables = new Tables();
    private SSTable table;

    @BeforeEach
    void make() throws IOException {
        tables.write(1, 1, 10, List.of("a=1@1", "b=2@2", "c=3@3", "d=4@4"));
        table = tables.open(1);
    }

    @AfterEach
    void close() {
        tables.close();
    }

    private void damage(int block) {
        tables.disk().flipBit("00000001.sst", (long) block * BLOCK_BYTES + 6, 4);
    }

    private void checkAll() {
        for (int block = 0; block < table.blockCount(); block++) {
            assertThat(table.damage().check(block)).isEqualTo(BLOCK_BYTES);
        }
    }

    @Test
    void checkAll_anyDamage_isNoted() {
        damage(0);
        damage(3);
        table.damage().checkAll(() -> false);

        assertThat(ranges()).containsExactly("1:a-b", "1:d-d\0");
    }

    /** A server that stops does not wait until a large table is read. */
    @Test
    void checkAll_cancelled_ends() {
        damage(0);
        damage(3);
        table.damage().checkAll(() -> !table.damage().isEmpty());

        assertThat(ranges()).containsExactly("1:a-b");
    }

    private List<String> ranges() {
        return table.damage().ranges().stream()
                .map(
                        range ->
                                range.table()
                                        + ":"
                                        + TextDao.text(range.from())
                                        + "-"
                                        + TextDao.text(range.to()))
                .toList();
    }

    @Test
    void check_wholeTable_findsNoDamage() {
        checkAll();

        assertThat(table.damage().isEmpty()).isTrue();
        assertThat(table.damage().ranges()).isEmpty();
    }

    @Test
    void check_damagedBlocks_areCountedAndNeighboursAreOneRange() {
        damage(0);
        damage(2);
        damage(3);
        checkAll();

        assertThat(table.damage().isEmpty()).isFalse();
        assertThat(table.damage().count()).isEqualTo(3);
        assertThat(ranges()).containsExactly("1:a-b", "1:c-d\0");
    }

    @Test
    void find_damagedBlock_failsAndNotesIt() {
        damage(1);

        assertThat(Tables.get(table, "a")).isEqualTo("a=1@1");
        assertThat(table.damage().isEmpty()).isTrue();
        assertThatThrownBy(() -> Tables.get(table, "b"))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("file=00000001.sst offset=24: ");
        assertThat(ranges()).containsExactly("1:b-c");
    }

    @Test
    void cursor_damagedBlock_failsAndNotesIt() {
        damage(3);

        assertThatThrownBy(() -> Tables.all(table)).isInstanceOf(CorruptionException.class);
        assertThat(ranges()).containsExactly("1:d-d\0");
    }

    @Test
    void check_blockCanBeReadAgain_isNoLongerDamaged() {
        damage(1);
        checkAll();
        damage(1);
        checkAll();

        assertThat(table.damage().isEmpty()).isTrue();
        assertThat(table.damage().count()).isZero();
    }

    @Test
    void survivors_damagedBlocksThatAreLost_areSkipped() {
        damage(0);
        damage(3);
        checkAll();

        assertThat(Tables.rest(table.damage().survivors(table.damage().ranges())))
                .containsExactly("b=2@2", "c=3@3");
    }

    @Test
    void survivors_lostBlockCanBeReadAgain_isKept() {
        damage(1);
        checkAll();
        List<LostRange> lost = table.damage().ranges();
        damage(1);

        assertThat(Tables.rest(table.damage().survivors(lost)))
                .containsExactly("a=1@1", "b=2@2", "c=3@3", "d=4@4");
    }

    @Test
    void survivors_anotherBlockIsDamaged_isNeverSkipped() {
        damage(1);
        checkAll();
        List<LostRange> lost = table.damage().ranges();
        damage(2);

        assertThatThrownBy(() -> Tables.rest(table.damage().survivors(lost)))
                .isInstanceOf(CorruptionException.class);
        assertThat(ranges()).containsExactly("1:b-d");
    }
}
