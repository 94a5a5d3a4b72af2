package dht.testkit.exercise;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * One compilation of a few source files against classes that exist already. Immutable.
 *
 * @param sources the files to compile, together
 * @param classPath folders and jars, in the order in which classes are searched
 * @param target the folder for the classes; made if it is not there
 * @param options further options of the compiler
 */
record Compilation(List<Path> sources, List<Path> classPath, Path target, List<String> options) {
    /**
     * Reads the fields {@code sources}, {@code classPath}, {@code target} and {@code options} of a
     * request.
     */
    static Compilation of(Request request) {
        return new Compilation(
                request.paths("sources"),
                request.paths("classPath"),
                request.path("target"),
                request.texts("options"));
    }

    /**
     * Compiles. Sends an event for each problem, then {@code event=compiled, ok=true|false}.
     *
     * @param events receives the events
     * @throws IOException if a file cannot be read or written
     */
    void run(Consumer<Map<String, Object>> events) throws IOException {
        Files.createDirectories(target);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var problems = new Problems();
        boolean isCompiled;
        try (var files = compiler.getStandardFileManager(problems, null, null)) {
            isCompiled =
                    compiler.getTask(
                                    null,
                                    files,
                                    problems,
                                    arguments(),
                                    null,
                                    files.getJavaFileObjects(sources.toArray(Path[]::new)))
                            .call();
        }
        problems.send(events);
        events.accept(Map.of("event", "compiled", "ok", isCompiled));
    }

    private List<String> arguments() {
        String path =
                classPath.stream()
                        .map(Path::toString)
                        .collect(Collectors.joining(File.pathSeparator));
        var arguments = new ArrayList<String>();
        arguments.addAll(List.of("-d", target.toString(), "-classpath", path, "-parameters"));
        arguments.addAll(List.of("-encoding", "UTF-8"));
        arguments.addAll(options.isEmpty() ? List.of("-proc:none") : options);
        return arguments;
    }
}
