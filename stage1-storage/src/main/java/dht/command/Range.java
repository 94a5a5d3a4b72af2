package dht.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The values that an option may have, both ends included, in the notation of the option itself.
 * {@link RangeConverter} checks it, and {@code --help} shows it.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Range {
    String from();

    String to();
}
