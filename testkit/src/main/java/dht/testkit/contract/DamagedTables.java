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
import java.util.List;

/**
 * Damages the table files of a node, whose format docs/reference/formats.md describes. Stateless.
 */
final class DamagedTables {
    private static final int FOOTER_BYTES = 96;
    private static final int FILTER_OFFSET = 48; // In the footer: where the blocks end.

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

    /** Waits until a node has replaced a table, without sending it a request. */
    static void awaitReplaced(ServerUnderTest node, Path table) {
        Deadline.in(node.longPatience())
                .await(
                        "%s to replace its damaged table".formatted(node.name()),
                        () -> !Files.exists(table));
    }
}
