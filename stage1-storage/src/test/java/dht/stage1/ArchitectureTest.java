package dht.stage1;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dht.storage.Dao;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which packages may use which other ones. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("dht");

    @Test
    void classes_ofEveryRoom_wereSeen() {
        assertThat(
                        List.of(
                                "dht.storage.lsm",
                                "dht.http",
                                "dht.command",
                                "dht.stage1",
                                "dht.testkit"))
                .allSatisfy(
                        room ->
                                assertThat(CLASSES)
                                        .as(room)
                                        .anyMatch(seen -> seen.getPackageName().startsWith(room)));
        assertThat(CLASSES.contain(Dao.class)).isTrue();
    }

    @Test
    void rooms_haveNoCycles() {
        slices().matching("dht.storage.(*)..").should().beFreeOfCycles().check(CLASSES);
        slices().matching("dht.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void storage_knowsNothingOfHttp() {
        noClasses()
                .that()
                .resideInAPackage("dht.storage..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dht.http..", "dht.command..", "dht.stage1..", "one.nio..", "picocli..")
                .check(CLASSES);
    }

    @Test
    void http_knowsOfStorageOnlyWhatItCanDo() {
        noClasses()
                .that()
                .resideInAPackage("dht.http..")
                .should()
                .dependOnClassesThat(resideInAPackage("dht.storage.*.."))
                .check(CLASSES);
    }

    @Test
    void testkit_knowsNoStage() {
        classes()
                .that()
                .resideInAPackage("dht.testkit..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAPackage("dht.testkit..").or(resideInAnyPackage("dht..").negate()))
                .check(CLASSES);
    }

    @Test
    void wiring_isShort() {
        assertThat(CLASSES.stream().filter(seen -> seen.getPackageName().equals("dht.stage1")))
                .filteredOn(seen -> !seen.getSimpleName().equals("package-info"))
                .hasSizeLessThanOrEqualTo(2);
    }
}
