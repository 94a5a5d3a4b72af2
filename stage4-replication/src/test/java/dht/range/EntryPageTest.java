package dht.range;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.EntryView;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class EntryPageTest {
    private static final byte[] KEY = "key".getBytes(UTF_8);
    private static final byte[] VALUE = "value".getBytes(UTF_8);

    @Test
    void page_ofAValueATombstoneAndALargeValue_isReadAsItWasWritten() throws IOException {
        EntryPage.Writer writer = new EntryPage.Writer(EntryPage.BYTES_MAX);
        writer.add(entry(VALUE, 7), 2);
        writer.add(tombstone(8), 0);
        writer.add(entry(new byte[100 << 10], 9), 0);
        EntryPage.Reader page = new EntryPage.Reader(writer.finish(false));

        assertThat(page.next()).isTrue();
        assertThat(page.key()).isEqualTo(KEY);
        assertThat(page.value()).isEqualTo(VALUE);
        assertThat(page.timestampMicros()).isEqualTo(7);
        assertThat(page.from()).isEqualTo(2);
        assertThat(page.isTombstone() || page.isLarge()).isFalse();
        assertThat(page.next()).isTrue();
        assertThat(page.isTombstone()).isTrue();
        assertThat(page.timestampMicros()).isEqualTo(8);
        assertThat(page.from()).isZero();
        assertThat(page.next()).isTrue();
        assertThat(page.isLarge()).as("must be asked for alone").isTrue();
        assertThat(page.value()).isEmpty();
        assertThat(page.next()).isFalse();
        assertThat(page.hasMore()).isTrue();
    }

    @Test
    void emptyPage_isTheEnd() throws IOException {
        EntryPage.Reader page =
                new EntryPage.Reader(new EntryPage.Writer(EntryPage.BYTES_MAX).finish(true));
        assertThat(page.next()).isFalse();
        assertThat(page.hasMore()).isFalse();
    }

    /** What is cut off must never be taken for the end. */
    @Test
    void page_cutOffAnywhere_isDamaged() {
        EntryPage.Writer writer = new EntryPage.Writer(EntryPage.BYTES_MAX);
        writer.add(entry(VALUE, 7), 0);
        writer.add(tombstone(8), 0);
        byte[] whole = writer.finish(true);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> readAll(cut)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void page_ofSomethingElse_isDamaged() {
        byte[] text = "<html>".getBytes(UTF_8);
        assertThatThrownBy(() -> readAll(text)).isInstanceOf(IOException.class);
    }

    @Test
    void writer_isFullAfterItsLimit() {
        EntryPage.Writer writer = new EntryPage.Writer(EntryPage.BYTES_MAX);
        int count = 0;
        while (!writer.isFull()) {
            writer.add(entry(new byte[1000], 1), 0);
            count++;
        }
        assertThat(count).isBetween(200, EntryPage.BYTES_MAX / 1000);
    }

    private static void readAll(byte[] bytes) throws IOException {
        EntryPage.Reader page = new EntryPage.Reader(bytes);
        boolean hasNext = true;
        while (hasNext) {
            hasNext = page.next();
        }
    }

    private static EntryView tombstone(long timestampMicros) {
        EntryView view = new EntryView();
        MemorySegment key = MemorySegment.ofArray(KEY);
        view.wrap(key, 0, KEY.length, 0, EntryView.TOMBSTONE, timestampMicros);
        return view;
    }

    private static EntryView entry(byte[] value, long timestampMicros) {
        byte[] bytes = Arrays.copyOf(KEY, KEY.length + value.length);
        System.arraycopy(value, 0, bytes, KEY.length, value.length);
        EntryView view = new EntryView();
        MemorySegment memory = MemorySegment.ofArray(bytes);
        view.wrap(memory, 0, KEY.length, KEY.length, value.length, timestampMicros);
        return view;
    }
}
