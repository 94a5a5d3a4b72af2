package dht.storage.simulation;

import java.util.Map;
import java.util.function.Function;

/**
 * A change of a directory, atomic in itself.
 *
 * @param removed the name that goes, or null
 * @param added the name that comes, or null
 * @param file what bears the added name
 */
record NameChange<F>(String removed, String added, F file) {
    void applyTo(Map<String, F> names) {
        if (removed != null) {
            names.remove(removed);
        }
        if (added != null) {
            names.put(added, file);
        }
    }

    <G> NameChange<G> with(Function<F, G> imageOf) {
        return new NameChange<>(removed, added, file == null ? null : imageOf.apply(file));
    }
}
