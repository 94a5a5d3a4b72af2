package dht.testkit.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Marks tests that take long, such as tests with many seeds or with containers. They run only if
 * the system property {@code testkit.full} is set, as {@code ./workbook test --full} does.
 * Otherwise they are reported as not run.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(
        named = "testkit.full",
        matches = "true",
        disabledReason = "takes long by its nature: ./workbook test --full runs it")
public @interface LongByNature {}
