package dht.testkit.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The output of a process, over all its starts: two files, to which the process writes its standard
 * output and standard error. Threads may share it.
 */
final class ProcessLog {
    private static final int TAIL_BYTES_MAX = 4096;
    private static final int TAIL_LINES_MAX = 12;

    private final Path out;
    private final Path err;

    ProcessLog(Path directory) {
        this.out = directory.resolve("stdout.log");
        this.err = directory.resolve("stderr.log");
    }

    void receive(ProcessBuilder builder) throws IOException {
        Files.createDirectories(out.getParent());
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(out.toFile()));
        builder.redirectError(ProcessBuilder.Redirect.appendTo(err.toFile()));
    }

    /** The number of bytes on standard output so far. */
    long outBytes() {
        return out.toFile().length();
    }

    /** The complete lines on standard output after the first {@code fromByte} bytes. */
    List<String> outLinesSince(long fromByte) {
        var text = read(out, fromByte);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }

    /** The last lines of both files. */
    String tail() {
        return Stream.of(out, err).flatMap(ProcessLog::lastLines).collect(Collectors.joining("\n"));
    }

    private static Stream<String> lastLines(Path file) {
        var lines =
                read(file, Math.max(0, file.toFile().length() - TAIL_BYTES_MAX)).lines().toList();
        return lines.stream().skip(Math.max(0, lines.size() - TAIL_LINES_MAX));
    }

    private static String read(Path path, long fromByte) {
        try (var file = new RandomAccessFile(path.toFile(), "r")) {
            var bytes = new byte[(int) Math.max(0, file.length() - fromByte)];
            file.seek(fromByte);
            file.readFully(bytes);
            return new String(bytes, UTF_8);
        } catch (IOException _) {
            return "";
        }
    }
}
