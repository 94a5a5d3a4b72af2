package dht.storage.log;

import static dht.storage.memory.Layouts.LONG;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.EntryView;
import dht.storage.TextDao;
import dht.storage.file.WritableMapping;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Replays a log of three records of 24 bytes each: two are synced, the third is only appended. */
class LogReplayTest {
    private static final UUID BOOT = new UUID(1, 2);
    private static final UUID NEXT_BOOT = new UUID(3, 4);
    private static final long NUMBER = 5;
    private static final String NAME = LogFiles.name(NUMBER);

    private static final int FIRST = 4096;
    private static final int SECOND = 4120;
    private static final int THIRD = 4144;
    private static final int END = 4168;
    private static final int VALUE_IN_RECORD = 19;
    private static final int APPENDED_UP_TO = 64;
    private static final int PREVIOUS_END = 72;
    private static final int RECORD_BYTES = 24;

    private final byte[] file = written("a", "b", "c");

    private static byte[] written(String... keys) {
        try (SimulatedDisk disk = new SimulatedDisk();
                WritableMapping mapping = disk.directory().createMapped(NAME, 1 << 14)) {
            WriteAheadLog log = new WriteAheadLog(mapping, NUMBER, NUMBER - 1, BOOT, 1 << 14);
            log.begin(WriteAheadLog.START);
            for (int i = 0; i < keys.length; i++) {
                if (i == 2) {
                    log.sync(log.appendedUpTo());
                }
                var value = MemorySegment.ofArray(TextDao.bytes("v"));
                log.append(TextDao.bytes(keys[i]), value, i + 1);
            }
            return mapping.memory().toArray(JAVA_BYTE);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static LogReplay open(byte[] file, UUID bootId) {
        return LogReplay.open(MemorySegment.ofArray(file), NUMBER, NAME, bootId);
    }

    private static List<String> records(LogReplay replay) {
        List<String> records = new ArrayList<>();
        replay.forEach((offset, entry) -> records.add(offset + " " + text(entry)));
        return records;
    }

    private static String text(EntryView entry) {
        return TextDao.text(entry.copyKey()) + "@" + entry.timestampMicros();
    }

    private void damage(int record) {
        file[record + VALUE_IN_RECORD] ^= 1;
    }

    private void assertIsCorrupt(UUID bootId, int offset) {
        LogReplay replay = open(file, bootId);
        assertThatThrownBy(() -> replay.forEach((_, _) -> {}))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("file=" + NAME + " offset=" + offset + ":");
    }

    @Test
    void forEach_wholeLog_handsEachRecordWithItsOffset() {
        LogReplay replay = open(file, BOOT);

        assertThat(records(replay)).containsExactly("4096 a@1", "4120 b@2", "4144 c@3");
        assertThat(replay.end()).isEqualTo(END);
        assertThat(replay.isEmpty()).isFalse();
        assertThat(replay.hasTornTail()).isFalse();
        assertThat(replay.lostBytes()).isZero();
    }

    @Test
    void forEach_calledAgain_handsTheSameAgain() {
        LogReplay replay = open(file, BOOT);

        assertThat(records(replay)).hasSize(3).isEqualTo(records(replay));
        assertThat(replay.end()).isEqualTo(END);
    }

    @Test
    void forEach_noRecords_handsNothing() {
        LogReplay replay = open(written(), BOOT);

        assertThat(records(replay)).isEmpty();
        assertThat(replay.isEmpty()).isTrue();
        assertThat(replay.end()).isEqualTo(FIRST);
    }

    @Test
    void forEach_fileEndsWithTheLastRecord_handsAll() {
        MemorySegment full = MemorySegment.ofArray(file).asSlice(0, END);
        LogReplay replay = LogReplay.open(full, NUMBER, NAME, BOOT);

        assertThat(records(replay)).hasSize(3);
        assertThat(replay.end()).isEqualTo(END);
    }

    /** The process was killed before the record's checksum was stored. */
    @Test
    void forEach_recordBegun_endsBeforeIt() {
        file[END + 4] = 1;
        LogReplay replay = open(file, BOOT);

        assertThat(records(replay)).hasSize(3);
        assertThat(replay.end()).isEqualTo(END);
        assertThat(replay.hasTornTail()).isTrue();
    }

    /** The process was killed after that, and before the header named the record. */
    @Test
    void forEach_wholeRecordThatTheHeaderDoesNotCount_isHanded() {
        MemorySegment header = MemorySegment.ofArray(file);
        header.set(LONG, APPENDED_UP_TO, THIRD);
        assertThat(LogLayout.appendedUpTo(header)).isEqualTo(THIRD);

        assertThat(records(open(file, BOOT))).hasSize(3);
    }

    @Test
    void forEach_appendedRecordDamaged_isCorruption() {
        damage(THIRD);

        assertIsCorrupt(BOOT, THIRD);
    }

    @Test
    void forEach_firstRecordDamaged_isCorruption() {
        damage(FIRST);

        assertIsCorrupt(BOOT, FIRST);
        assertIsCorrupt(NEXT_BOOT, FIRST);
    }

    @Test
    void forEach_afterRestartNothingLost_handsAll() {
        LogReplay replay = open(file, NEXT_BOOT);

        assertThat(records(replay)).hasSize(3);
        assertThat(replay.lostBytes()).isZero();
    }

    /** The header was written by the operating system, and the record was not. */
    @Test
    void forEach_afterRestartUnsyncedRecordLost_endsBeforeIt() {
        damage(THIRD);
        LogReplay replay = open(file, NEXT_BOOT);

        assertThat(records(replay)).containsExactly("4096 a@1", "4120 b@2");
        assertThat(replay.end()).isEqualTo(THIRD);
        assertThat(replay.lostBytes()).isEqualTo(END - THIRD);
    }

    @Test
    void forEach_afterRestartSyncedRecordDamaged_isCorruption() {
        damage(SECOND);

        assertIsCorrupt(NEXT_BOOT, SECOND);
    }

    @Test
    void open_logOfAnotherNumber_isCorruption() {
        MemorySegment memory = MemorySegment.ofArray(file);
        assertThatThrownBy(() -> LogReplay.open(memory, 6, LogFiles.name(6), BOOT))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("file=00000006.log offset=16:")
                .hasMessageContaining("log header belongs to log number=5")
                .hasMessageContaining("start from a backup");
    }

    @Test
    void open_fileShorterThanItsRecords_isCorruption() {
        MemorySegment cut = MemorySegment.ofArray(file).asSlice(0, END - 1);
        assertThatThrownBy(() -> LogReplay.open(cut, NUMBER, NAME, BOOT))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("records were written up to offset=" + END);
        MemorySegment shorter = MemorySegment.ofArray(file).asSlice(0, THIRD);
        assertThat(records(LogReplay.open(shorter, NUMBER, NAME, NEXT_BOOT)))
                .as("what was synced is there, and more is not sure to be")
                .containsExactly("4096 a@1", "4120 b@2");
    }

    /** The log after this one, begun when this one ended at {@code end}; not begun if that is 0. */
    private static MemorySegment nextFile(long end) {
        MemorySegment memory = MemorySegment.ofArray(new byte[LogLayout.HEADER_BYTES]);
        LogLayout.writeHeader(memory, NUMBER + 1, NUMBER, BOOT);
        if (end != 0) {
            LogLayout.previousEnd(memory, end, NUMBER + 1);
        }
        return memory;
    }

    private static LogReplay next(MemorySegment file, UUID bootId) {
        return LogReplay.open(file, NUMBER + 1, LogFiles.name(NUMBER + 1), bootId);
    }

    private static LogReplay next(long end, UUID bootId) {
        return next(nextFile(end), bootId);
    }

    private LogReplay read(UUID bootId) {
        LogReplay replay = open(file, bootId);
        replay.forEach((_, _) -> {});
        return replay;
    }

    @Test
    void follows_logBegunWhereTheOneBeforeEnds_isTrue() {
        assertThat(next(END, BOOT).follows(read(BOOT))).isTrue();
        assertThat(next(END, NEXT_BOOT).follows(read(NEXT_BOOT))).isTrue();
    }

    /** Its last record was never synced, and went with the page cache. */
    @Test
    void follows_afterRestartEndOfTheOneBeforeLost_isFalse() {
        damage(THIRD);
        assertThat(next(END, NEXT_BOOT).follows(read(NEXT_BOOT))).isFalse();
        assertThat(next(0, NEXT_BOOT).follows(read(NEXT_BOOT))).as("not begun").isFalse();
    }

    @Test
    void follows_withoutRestartTheOneBeforeEndsElsewhere_isCorruption() {
        for (long end : new long[] {THIRD, END + RECORD_BYTES, 0}) {
            assertThatThrownBy(() -> next(end, BOOT).follows(read(BOOT)))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("file=" + NAME + " offset=" + END)
                    .hasMessageContaining("file=00000006.log continues from another offset");
        }
    }

    @Test
    void follows_endOfTheOneBeforeDamaged_isCorruption() {
        MemorySegment damaged = nextFile(END);
        damaged.set(LONG, PREVIOUS_END, END + 1);
        assertThatThrownBy(() -> next(damaged, NEXT_BOOT).follows(read(NEXT_BOOT)))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("file=00000006.log offset=80:")
                .hasMessageContaining("the stored end of the previous log has a wrong checksum")
                .hasMessageContaining("start from a backup");
    }
}
