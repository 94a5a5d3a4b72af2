package dht.storage.lsm;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Shortens a list for as long as it keeps a certain property. */
final class Shrinker {
    private Shrinker() {}

    /** Drops halves first, then quarters, and single elements at last. */
    static <T> List<T> shrink(List<T> list, Predicate<List<T>> property) {
        List<T> shrunk = list;
        for (int size = list.size() / 2; size > 0; size /= 2) {
            int before;
            do {
                before = shrunk.size();
                shrunk = dropRuns(shrunk, size, property);
            } while (size == 1 && shrunk.size() < before);
        }
        return shrunk;
    }

    private static <T> List<T> dropRuns(List<T> list, int size, Predicate<List<T>> property) {
        List<T> shrunk = list;
        for (int end = list.size(); end > 0; end -= size) {
            List<T> fewer = new ArrayList<>(shrunk);
            fewer.subList(Math.max(0, end - size), end).clear();
            if (property.test(fewer)) {
                shrunk = fewer;
            }
        }
        return shrunk;
    }
}
