package dht.stage4;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.concurrent.Future;
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
                                "dht.http",
                                "dht.execution",
                                "dht.cluster",
                                "dht.sharding",
                                "dht.peer",
                                "dht.replication",
                                "dht.repair",
                                "dht.range",
                                "dht.stage4",
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
    void stagesBelowAndTestkit_knowNothingOfStage4() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dht.replication..", "dht.range..", "dht.repair..", "dht.stage4..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(
                                "dht.replication..", "dht.range..", "dht.repair..", "dht.stage4.."))
                .check(CLASSES);
    }

    /** A request goes from thread to thread; a coordinator waits for nobody. */
    @Test
    void replication_blocksNoThread() {
        noClasses()
                .that()
                .resideInAPackage("dht.replication..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("java.util.concurrent.locks..", "one.nio..")
                                .or(assignableTo(Future.class))
                                .or(assignableTo(Thread.class)))
                .check(CLASSES);
    }

    @Test
    void stage4_isPutTogetherAnew() {
        noClasses()
                .that()
                .resideInAPackage("dht.stage4..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("dht.stage1..", "dht.stage2..", "dht.stage3.."))
                .check(CLASSES);
    }
}
