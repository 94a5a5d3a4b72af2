package dht.stage5;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.net.http.HttpClient;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A stage may use earlier stages, but not later ones, and asynchronous code must not wait. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("dht");

    private static final String[] STAGE5 = {
        "dht.peer.async",
        "dht.peer.batch",
        "dht.peer.blocking",
        "dht.peer.inline",
        "dht.replication.async",
        "dht.replication.batch",
        "dht.stage5"
    };

    @Test
    void classes_ofEveryRoom_wereSeen() {
        assertThat(
                        List.of(
                                "dht.http",
                                "dht.execution",
                                "dht.peer",
                                "dht.peer.async",
                                "dht.peer.batch",
                                "dht.peer.blocking",
                                "dht.peer.inline",
                                "dht.replication",
                                "dht.replication.async",
                                "dht.replication.batch",
                                "dht.stage5",
                                "dht.testkit"))
                .allSatisfy(
                        room ->
                                assertThat(CLASSES)
                                        .as(room)
                                        .anyMatch(seen -> seen.getPackageName().equals(room)));
    }

    @Test
    void rooms_haveNoCycles() {
        slices().matching("dht.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void stagesBelowAndTestkit_knowNothingOfStage5() {
        noClasses()
                .that()
                .resideOutsideOfPackages(STAGE5)
                .should()
                .dependOnClassesThat(resideInAnyPackage(STAGE5))
                .check(CLASSES);
    }

    /**
     * Who reads how stage 5 asks needn't read what it is compared with, nor how it saves messages.
     */
    @Test
    void core_knowsNeitherBatchesNorThreadsThatWait() {
        noClasses()
                .that()
                .resideInAPackage("dht.peer.async")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(
                                "dht.peer.batch", "dht.peer.blocking", "dht.replication.."))
                .check(CLASSES);
    }

    @Test
    void stage5_isPutTogetherAnew() {
        noClasses()
                .that()
                .resideInAPackage("dht.stage5")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("dht.stage1", "dht.stage2", "dht.stage3", "dht.stage4"))
                .check(CLASSES);
    }

    /**
     * No code waits for a future, with two exceptions: a flush of the storage waits for the flush
     * before it, and virtual threads of ranges over the cluster wait for pages.
     */
    @Test
    void futures_neverWaitedFor() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dht.storage..", "dht.testkit..", "dht.range..")
                .should()
                .callMethodWhere(to(Future.class, "get|join|getNow|resultNow|invokeAll|invokeAny"))
                .because("a thread that waits for another node does nothing meanwhile")
                .check(CLASSES);
    }

    /** Only for the client that exists for comparison. */
    @Test
    void blockingSend_isCalledByTheBlockingClientOnly() {
        noClasses()
                .that()
                .doNotHaveSimpleName("JdkBlockingClient")
                .should()
                .callMethodWhere(to(HttpClient.class, "send"))
                .check(CLASSES);
    }

    /**
     * Without an executor, a callback runs wherever the future is completed, or in the common pool.
     */
    @Test
    void callbacks_alwaysNameTheirExecutor() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dht.testkit..")
                .should()
                .callMethodWhere(
                        to(
                                        CompletionStage.class,
                                        "(then|when|handle|exceptionally|accept|apply|run|supply)[A-Za-z]*|completeAsync")
                                .and(namesNoExecutor()))
                .because("it could run in the common pool, or on a thread that waits for it")
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaCall<?>> namesNoExecutor() {
        return DescribedPredicate.describe(
                "without an executor",
                call ->
                        call.getTarget().getRawParameterTypes().stream()
                                .noneMatch(type -> type.isAssignableTo(Executor.class)));
    }

    @Test
    void replication_blocksNoThread() {
        noClasses()
                .that()
                .resideInAnyPackage("dht.replication.async", "dht.replication.batch")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("java.util.concurrent.locks..", "one.nio..")
                                .or(assignableTo(Thread.class)))
                .check(CLASSES);
    }

    /** Except the thread that closes it. */
    @Test
    void peer_blocksNoThread() {
        noClasses()
                .that()
                .resideInAnyPackage("dht.peer.async", "dht.peer.batch", "dht.peer.inline")
                .should()
                .callMethodWhere(blocking().and(isNotIn(".*[.]close")))
                .because("it would be the client's own, which all answers wait for")
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaCall<?>> isNotIn(String method) {
        return DescribedPredicate.describe(
                "not in " + method,
                call ->
                        !(call.getOriginOwner().getSimpleName() + "." + call.getOrigin().getName())
                                .matches(method));
    }

    private static DescribedPredicate<JavaCall<?>> blocking() {
        return to(Thread.class, "sleep|join")
                .or(to(Object.class, "wait"))
                .or(to(LockSupport.class, "park.*"))
                .or(to(Lock.class, "lock.*"))
                .or(to(CountDownLatch.class, "await"))
                .or(to(Semaphore.class, "acquire.*"))
                .or(to(BlockingQueue.class, "put|take|poll|offer"))
                .or(to(ExecutorService.class, "awaitTermination|close"))
                .or(to(HttpClient.class, "send|awaitTermination|close"));
    }

    private static DescribedPredicate<JavaCall<?>> to(Class<?> owner, String names) {
        return DescribedPredicate.describe(
                owner.getSimpleName() + "." + names,
                call ->
                        call.getTargetOwner().isAssignableTo(owner)
                                && call.getName().matches(names));
    }
}
