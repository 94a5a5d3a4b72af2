package dht.testkit.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks classes whose tests need the whole machine, such as those that check latencies under load.
 * {@code ./workbook test --full} runs them after all others, and nothing beside them. It finds them
 * by this annotation in their source.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@LongByNature
@Tag("alone")
public @interface Alone {}
