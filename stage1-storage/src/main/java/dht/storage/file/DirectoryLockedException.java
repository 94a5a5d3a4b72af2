package dht.storage.file;

import java.io.IOException;
import java.nio.file.Path;

/** The failure to open a data directory that another engine has open. */
public final class DirectoryLockedException extends IOException {
    DirectoryLockedException(Path path, String owner) {
        super(
                "data directory is in use: path="
                        + path
                        + " pid="
                        + owner
                        + ": stop that process, or choose another directory");
    }

    DirectoryLockedException(Path path, Path file) {
        super(
                "data directory is in use: path="
                        + path
                        + " locked file="
                        + file.getFileName()
                        + ", though LOCK is not: stop the process that uses it, or choose"
                        + " another directory");
    }
}
