package dht.testkit.exercise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceOutlineTest {
    @TempDir Path directory;

    private List<Map<String, Object>> members(String text) throws IOException {
        Path source = directory.resolve("Sample.java");
        Files.writeString(source, text);
        return SourceOutline.of(source).members();
    }

    private static String text(String source, Map<String, Object> member, String from, String to) {
        return source.substring((int) (long) member.get(from), (int) (long) member.get(to));
    }

    private static Map<String, Object> named(List<Map<String, Object>> members, String name) {
        return members.stream()
                .filter(member -> name.equals(member.get("name")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void method_withCommentAndBraces_endsWhereItsBodyEnds() throws IOException {
        String source =
                """
                class Sample {
                    /** Not a part of it: }. */
                    @Override
                    int find(byte[] key) { return "}".length(); /* } */ }

                    int other;
                }
                """;

        var find = named(members(source), "find");

        assertThat(text(source, find, "begin", "end"))
                .startsWith("@Override")
                .endsWith("/* } */ }");
        assertThat(text(source, find, "bodyBegin", "bodyEnd")).startsWith("{ return");
        assertThat(find).containsEntry("parameters", "byte[]").containsEntry("type", "Sample");
    }

    @Test
    void overloadsAndNestedTypes_areToldApart() throws IOException {
        String source =
                """
                class Sample {
                    Sample(int a) {}
                    void put(int a, String... rest) {}
                    void put(java.util.List<String> a) {}
                    record Inner(int x) { void put() {} }
                }
                """;

        var members = members(source);

        assertThat(members.stream().filter(member -> "method".equals(member.get("event"))))
                .extracting(member -> member.get("type") + "#" + member.get("name"))
                .containsExactly("Sample#Sample", "Sample#put", "Sample#put", "Sample.Inner#put");
        assertThat(members)
                .filteredOn(member -> "put".equals(member.get("name")))
                .extracting(member -> member.get("parameters"))
                .containsExactly("int, String[]", "java.util.List<String>", "");
    }

    @Test
    void anonymousAndLocalTypes_belongToTheirMethod() throws IOException {
        var members =
                members(
                        """
                        class Sample {
                            Runnable field = new Runnable() { public void run() {} };
                            void outer() { class Local { void inner() {} } }
                        }
                        """);

        assertThat(members)
                .extracting(member -> member.get("name"))
                .containsExactly("Sample", "field", "outer");
    }

    @Test
    void imports_areNamed() throws IOException {
        var members =
                members(
                        "import java.util.List;\nimport static java.lang.Math.max;\nclass Sample {}\n");

        assertThat(members)
                .extracting(member -> member.get("name"))
                .containsExactly("java.util.List", "java.lang.Math.max", "Sample");
    }

    @Test
    void newestSyntax_parses() throws IOException {
        var members =
                members(
                        """
                        class Sample {
                            int size(Object o) { return switch (o) { case Integer _, Long _ -> 1; default -> 2; }; }
                        }
                        """);

        assertThat(members).hasSize(2);
    }

    @Test
    void brokenSource_isRefusedWithItsName() {
        assertThatThrownBy(() -> members("class Sample {"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Sample.java");
    }
}
