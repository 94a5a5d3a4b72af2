package dht.testkit.exercise;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * A class loader that searches some folders before its parent, for the project's own classes. The
 * first folder that has a class wins. All other classes, such as JUnit's, come from the parent. So
 * they are loaded and compiled once for all runs. Thread-safe.
 */
final class OverlayClassLoader extends URLClassLoader {
    private static final String OURS = "dht.";
    private static final String SHARED = OverlayClassLoader.class.getPackageName() + ".";

    static {
        registerAsParallelCapable();
    }

    OverlayClassLoader(List<Path> folders, ClassLoader parent) {
        super(folders.stream().map(OverlayClassLoader::url).toArray(URL[]::new), parent);
    }

    private static URL url(Path folder) {
        try {
            return folder.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || name.startsWith(SHARED)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }

    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : super.getResource(name);
    }

    /**
     * If a folder has the resource, only the folders are searched: the parent may have the same
     * resource again.
     */
    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        Enumeration<URL> own = findResources(name);
        List<URL> found = Collections.list(own);
        return found.isEmpty() ? super.getResources(name) : Collections.enumeration(found);
    }
}
