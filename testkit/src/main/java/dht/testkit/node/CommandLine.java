package dht.testkit.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A command line, split into words as a shell would split it. A command with a pipe, a variable, a
 * redirection or a pattern outside quotes needs a shell: it is passed to {@code /bin/sh} as a
 * whole. Immutable.
 */
public final class CommandLine {
    private static final String NEEDS_SHELL = "|&;<>()$`*?[]#~\n";
    private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z_0-9]*=.*");
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:,@%+=-]+");

    private final String text;
    private final List<String> words;
    private final boolean needsShell;

    private CommandLine(String text, List<String> words, boolean needsShell) {
        this.text = text;
        this.words = words;
        this.needsShell = needsShell;
    }

    /**
     * Splits a command.
     *
     * @throws IllegalArgumentException if a quote is not closed, or there is no word
     */
    public static CommandLine parse(String text) {
        var splitter = new Splitter(text);
        splitter.run();
        if (splitter.words.isEmpty()) {
            throw new IllegalArgumentException("command is empty");
        }
        var assigns = ASSIGNMENT.matcher(splitter.words.getFirst()).matches();
        return new CommandLine(text, List.copyOf(splitter.words), splitter.needsShell || assigns);
    }

    /** The words to run, with every <code>{name}</code> replaced. */
    public List<String> words(Map<String, String> values) {
        if (needsShell) {
            return List.of("/bin/sh", "-c", replace(text, values, true));
        }
        return words.stream().map(word -> replace(word, values, false)).toList();
    }

    /** Whether the command contains <code>{name}</code>. */
    public boolean mentions(String name) {
        return text.contains("{" + name + "}");
    }

    private static String replace(String text, Map<String, String> values, boolean forShell) {
        var result = text;
        for (var value : values.entrySet()) {
            var word = forShell ? quoted(value.getValue()) : value.getValue();
            result = result.replace("{" + value.getKey() + "}", word);
        }
        return result;
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    @Override
    public String toString() {
        return text;
    }

    /** Splits the text in one pass. */
    private static final class Splitter {
        private final String text;
        private final List<String> words = new ArrayList<>();
        private boolean needsShell;
        private int position;
        private StringBuilder word; // null between words

        Splitter(String text) {
            this.text = text;
        }

        void run() {
            while (position < text.length()) {
                var c = text.charAt(position++);
                switch (c) {
                    case ' ', '\t' -> endWord();
                    case '\'' -> word().append(quotedUntil('\''));
                    case '"' -> doubleQuoted();
                    case '\\' -> word().append(escaped());
                    default -> {
                        needsShell |= NEEDS_SHELL.indexOf(c) >= 0;
                        word().append(c);
                    }
                }
            }
            endWord();
        }

        private StringBuilder word() {
            if (word == null) {
                word = new StringBuilder();
            }
            return word;
        }

        private void endWord() {
            if (word != null) {
                words.add(word.toString());
                word = null;
            }
        }

        private String quotedUntil(char quote) {
            var end = text.indexOf(quote, position);
            if (end < 0) {
                throw unclosed(quote);
            }
            var inside = text.substring(position, end);
            position = end + 1;
            return inside;
        }

        private void doubleQuoted() {
            var out = word();
            while (position < text.length()) {
                var c = text.charAt(position++);
                switch (c) {
                    case '"' -> {
                        return;
                    }
                    case '\\' -> out.append(escapedInDoubleQuotes());
                    default -> {
                        needsShell |= c == '$' || c == '`';
                        out.append(c);
                    }
                }
            }
            throw unclosed('"');
        }

        private char escaped() {
            if (position == text.length()) {
                throw new IllegalArgumentException("command ends with a backslash: " + text);
            }
            return text.charAt(position++);
        }

        private String escapedInDoubleQuotes() {
            var c = escaped();
            return "\"\\$`".indexOf(c) >= 0 ? String.valueOf(c) : "\\" + c;
        }

        private IllegalArgumentException unclosed(char quote) {
            return new IllegalArgumentException(
                    "quote=%c is not closed in: %s".formatted(quote, text));
        }
    }
}
