package dht.testkit.contract;

import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * Damages the table files of a node, whose format docs/reference/formats.md describes. Stateless.
 */
final class DamagedTables {
    private static final int FOOTER_BYTES = 96;
    private static final int FILTER_OFFSET = 48; // In the footer: where the blocks end.

    /** How long a node that scrubs without pause may need to read all its tables. */
    private static final Duration NOTICE = Duration.ofSeconds(1);

    private DamagedTables() {}

    /** The table files of a node, the newest last. */
    static List<Path> of(ServerUnderTest node) {
        try (var files = Files.list(node.node().spec().dataDir())) {
            return files.filter(file -> file.toString().endsWith(".sst")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Changes one byte in the middle of the blocks. */
    static void damageOneBlock(Path table) {
        damage(table, Integer.MAX_VALUE);
    }

    /** Changes bytes of each block, however small it is. */
    static void damageAllBlocks(Path table) {
        damage(table, 8);
    }

    private static void damage(Path table, int stepBytes) {
        try (var file =
                FileChannel.open(table, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var footer = ByteBuffer.allocate(FOOTER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            file.read(footer, file.size() - FOOTER_BYTES);
            var end = footer.getLong(FILTER_OFFSET);
            var isWhole = stepBytes < end;
            for (var offset = isWhole ? 0 : end / 2; offset < end; offset += stepBytes) {
                var one = ByteBuffer.allocate(1);
                file.read(one, offset);
                one.put(0, (byte) (one.get(0) ^ 1)).rewind();
                file.write(one, offset);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Damages blocks of a running node until it notices one. A table may be gone before it is read.
     */
    static void damageUntilNoticed(ServerUnderTest node) {
        var noticed = noticed(node);
        Deadline.in(node.longPatience())
                .await(
                        node.name() + " to notice a damaged block",
                        () -> {
                            damageNewest(node);
                            return Deadline.in(NOTICE).reached(() -> noticed(node) > noticed);
                        });
    }

    private static void damageNewest(ServerUnderTest node) {
        try {
            var tables = of(node);
            if (!tables.isEmpty()) {
                damageOneBlock(tables.getLast());
            }
        } catch (UncheckedIOException _) {
            // The next try takes another table.
        }
    }

    private static double noticed(ServerUnderTest node) {
        return damaged(node) + mended(node);
    }

    /** Waits until a node has no damaged block. */
    static void awaitMended(ServerUnderTest node) {
        Deadline.in(node.longPatience())
                .await(node.name() + " to mend its damaged blocks", () -> damaged(node) == 0);
    }

    static double damaged(ServerUnderTest node) {
        return Metrics.sum(node, "storage_damaged_blocks");
    }

    static double mended(ServerUnderTest node) {
        return Metrics.sum(node, "mended_blocks_total");
    }

    /** Waits until a node has replaced a table, without sending it a request. */
    static void awaitReplaced(ServerUnderTest node, Path table) {
        Deadline.in(node.longPatience())
                .await(
                        "%s to replace its damaged table".formatted(node.name()),
                        () -> !Files.exists(table));
    }
}
