package dht.storage.lsm;

/** One step that is applied both to an engine and to its {@link Model}. */
sealed interface Step {
    /**
     * @param value null for a tombstone
     */
    record Write(String key, String value, long timestampMicros) implements Step {
        @Override
        public String toString() {
            return value == null
                    ? "delete " + quote(key) + " @" + timestampMicros
                    : "put " + quote(key) + " " + quote(value) + " @" + timestampMicros;
        }
    }

    record Get(String key) implements Step {
        @Override
        public String toString() {
            return "get " + quote(key);
        }
    }

    /** Opens a cursor; one that is open under the same number is read to its end before. */
    record Open(int cursor, String from, String to) implements Step {
        @Override
        public String toString() {
            return "open cursor %d from %s to %s".formatted(cursor, quote(from), quote(to));
        }
    }

    /** Moves a cursor on, if it is open. */
    record Advance(int cursor, int count) implements Step {
        @Override
        public String toString() {
            return "advance cursor %d by %d".formatted(cursor, count);
        }
    }

    /** Reads a cursor to its end, if it is open. */
    record Finish(int cursor) implements Step {
        @Override
        public String toString() {
            return "finish cursor " + cursor;
        }
    }

    record Flush() implements Step {
        @Override
        public String toString() {
            return "flush";
        }
    }

    record Compact() implements Step {
        @Override
        public String toString() {
            return "compact";
        }
    }

    record Reopen() implements Step {
        @Override
        public String toString() {
            return "close, and open again";
        }
    }

    /** Sets the time of day, on or back. */
    record Time(long millis) implements Step {
        @Override
        public String toString() {
            return "it is " + millis + " ms";
        }
    }

    /** As a Java literal; a long run of one character is shortened. */
    static String quote(String text) {
        if (text == null) {
            return "null";
        }
        if (text.length() > 30) {
            return "'" + text.charAt(0) + "'×" + text.length();
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            quoted.append(c > ' ' && c < 0x7f ? String.valueOf(c) : "\\u%04x".formatted((int) c));
        }
        return quoted.append('"').toString();
    }
}
