package dht.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The lowest and the highest value of an option, both allowed, in the notation of the option.
 * {@link RangeConverter} checks the range, and {@code --help} shows it.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Range {
    String from();

    String to();
}
