package dht.stage2;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A stage may use earlier stages, but not later ones, and the testkit uses no stage. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("dht");

    @Test
    void classes_ofEveryRoom_wereSeen() {
        assertThat(
                        List.of(
                                "dht.storage",
                                "dht.http",
                                "dht.execution",
                                "dht.metrics",
                                "dht.stage2",
                                "dht.testkit"))
                .allSatisfy(
                        room ->
                                assertThat(CLASSES)
                                        .as(room)
                                        .anyMatch(seen -> seen.getPackageName().startsWith(room)));
    }

    @Test
    void rooms_haveNoCycles() {
        slices().matching("dht.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void stage1AndTestkit_knowNothingOfStage2() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dht.storage..",
                        "dht.http..",
                        "dht.command..",
                        "dht.stage1..",
                        "dht.testkit..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("dht.execution..", "dht.metrics..", "dht.stage2.."))
                .check(CLASSES);
    }

    @Test
    void execution_knowsNothingOfStorage() {
        noClasses()
                .that()
                .resideInAPackage("dht.execution..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("dht.storage..", "one.nio.."))
                .check(CLASSES);
    }

    @Test
    void stage2_isPutTogetherAnew() {
        noClasses()
                .that()
                .resideInAPackage("dht.stage2..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("dht.stage1.."))
                .check(CLASSES);
    }
}
