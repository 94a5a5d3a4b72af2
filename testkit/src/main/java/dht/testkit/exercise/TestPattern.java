package dht.testkit.exercise;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.platform.engine.support.descriptor.MethodSource;

/**
 * A pattern for tests: {@code dht.some.ClassTest}, with its nested classes, or {@code
 * dht.some.ClassTest#method}. A {@code *} matches any text. Immutable.
 */
record TestPattern(String suite, String method) {
    static TestPattern of(String text) {
        int hash = text.indexOf('#');
        return hash < 0
                ? new TestPattern(text, "*")
                : new TestPattern(text.substring(0, hash), text.substring(hash + 1));
    }

    boolean matches(MethodSource test) {
        String actual = test.getClassName();
        return (fits(suite, actual) || fits(suite + "$*", actual))
                && fits(method, test.getMethodName());
    }

    private static boolean fits(String pattern, String text) {
        String regex =
                Arrays.stream(pattern.split("\\*", -1))
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*"));
        return Pattern.matches(regex, text);
    }
}
