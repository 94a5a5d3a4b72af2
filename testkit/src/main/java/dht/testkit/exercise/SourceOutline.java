package dht.testkit.exercise;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * The members of a Java source file, and where each begins and ends. The compiler's parser finds
 * them. Names are not resolved, so the source only has to parse.
 *
 * <p>Offsets count UTF-16 units from 0; an end is exclusive. Immutable.
 */
final class SourceOutline {
    private final List<Map<String, Object>> members;

    private SourceOutline(List<Map<String, Object>> members) {
        this.members = members;
    }

    /**
     * @throws IOException if the source cannot be read
     * @throws IllegalArgumentException if it does not parse
     */
    static SourceOutline of(Path source) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var problems = new Problems();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    files,
                                    problems,
                                    List.of("-proc:none"),
                                    null,
                                    files.getJavaFileObjects(source));
            CompilationUnitTree unit = task.parse().iterator().next();
            if (problems.hasErrors()) {
                throw new IllegalArgumentException(
                        "cannot parse: file=" + source + ": " + problems.first());
            }
            var scanner = new Scanner(unit, Trees.instance(task).getSourcePositions());
            scanner.scan(unit, null);
            return new SourceOutline(List.copyOf(scanner.members));
        }
    }

    /**
     * One event for each import ({@code event=import, name, begin, end}), type ({@code event=type,
     * name, begin, end}), method and constructor ({@code event=method, type, name, parameters,
     * begin, end, bodyBegin, bodyEnd, throws}) and field ({@code event=field, type, name, begin,
     * end}), in the order of the source. A type's name is that within the file: {@code
     * Outer.Inner}.
     */
    List<Map<String, Object>> members() {
        return members;
    }

    private static final class Scanner extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final Deque<String> types = new ArrayDeque<>();
        private final List<Map<String, Object>> members = new ArrayList<>();

        Scanner(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
        }

        @Override
        public Void visitImport(ImportTree node, Void unused) {
            Map<String, Object> event = event("import", node);
            event.put("name", node.getQualifiedIdentifier().toString());
            members.add(event);
            return null;
        }

        @Override
        public Void visitClass(ClassTree node, Void unused) {
            if (node.getSimpleName()
                    .isEmpty()) { // An anonymous class is a part of the method around it.
                return null;
            }
            types.addLast(node.getSimpleName().toString());
            Map<String, Object> event = event("type", node);
            event.put("name", typeName());
            members.add(event);
            super.visitClass(node, unused);
            types.removeLast();
            return null;
        }

        @Override
        public Void visitMethod(MethodTree node, Void unused) {
            BlockTree body = node.getBody();
            if (positions.getEndPosition(unit, node)
                    >= 0) { // Skips constructors that the compiler adds.
                Map<String, Object> event = event("method", node);
                event.put("type", typeName());
                event.put("name", methodName(node));
                event.put("parameters", parameters(node));
                if (body != null) {
                    event.put("bodyBegin", positions.getStartPosition(unit, body));
                    event.put("bodyEnd", positions.getEndPosition(unit, body));
                }
                members.add(event);
            }
            return null; // Does not enter: a class inside a method is a part of the method.
        }

        @Override
        public Void visitVariable(VariableTree node, Void unused) {
            if (getCurrentPath().getParentPath().getLeaf() instanceof ClassTree) {
                Map<String, Object> event = event("field", node);
                event.put("type", typeName());
                event.put("name", node.getName().toString());
                members.add(event);
            }
            return null;
        }

        private String methodName(MethodTree node) {
            String name = node.getName().toString();
            return name.equals("<init>") ? types.getLast() : name;
        }

        private static String parameters(MethodTree node) {
            return node.getParameters().stream()
                    .map(parameter -> parameter.getType().toString())
                    .collect(Collectors.joining(", "));
        }

        private String typeName() {
            return String.join(".", types);
        }

        private Map<String, Object> event(String kind, Tree node) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", kind);
            event.put("begin", positions.getStartPosition(unit, node));
            event.put("end", positions.getEndPosition(unit, node));
            return event;
        }
    }
}
