package dht.testkit.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllocationLoaderTest {
    /** Both exceptions are assigned to one variable, so their common superclass must be found. */
    private static final String SCENARIO =
            """
            package dht.scratch;

            public class Scenario implements java.util.function.LongConsumer {
                static class Both extends RuntimeException {}
                static class One extends Both {}
                static class Other extends Both {}

                @Override
                public void accept(long number) {
                    Both made = number > 0 ? new One() : new Other();
                    System.setProperty("dht.scratch", made.getClass().getSimpleName());
                }
            }
            """;

    @TempDir private Path folder;

    /** The same setting as in the process that checks exercises. */
    @Test
    void scenario_unknownToTheApplicationsLoader_isHookedAndRuns() throws Exception {
        Path source = folder.resolve("Scenario.java");
        Files.writeString(source, SCENARIO);
        String[] options = {"-proc:none", "-d", folder.toString(), source.toString()};
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, options)).isZero();
        URL[] path = {folder.toUri().toURL()};
        try (var parent = new URLClassLoader(path, getClass().getClassLoader())) {
            Class<? extends LongConsumer> type =
                    parent.loadClass("dht.scratch.Scenario").asSubclass(LongConsumer.class);

            new AllocationLoader(type).newScenario(type).accept(1);

            assertThat(System.getProperty("dht.scratch")).isEqualTo("One");
        } finally {
            System.clearProperty("dht.scratch");
        }
    }
}
