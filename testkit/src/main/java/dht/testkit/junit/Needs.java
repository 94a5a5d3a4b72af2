package dht.testkit.junit;

import dht.testkit.node.Ability;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An ability that a test needs from its server. If the server does not have it, the test is
 * reported as not run, with the reason.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Needs {
    Ability value();
}
