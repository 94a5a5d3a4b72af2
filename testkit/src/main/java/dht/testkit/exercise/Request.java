package dht.testkit.exercise;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One request to the {@link Worker}, as field names and values. Immutable. */
record Request(Map<String, Object> fields) {
    /**
     * @throws IllegalArgumentException if there is no such field
     */
    String text(String name) {
        Object value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the request lacks a field: name=" + name);
        }
        return value.toString();
    }

    Path path(String name) {
        return Path.of(text(name));
    }

    /** The elements of a field that is a list; an empty list if there is no such field. */
    List<String> texts(String name) {
        return fields.get(name) instanceof List<?> list
                ? list.stream().map(Object::toString).toList()
                : List.of();
    }

    List<Path> paths(String name) {
        return texts(name).stream().map(Path::of).toList();
    }
}
