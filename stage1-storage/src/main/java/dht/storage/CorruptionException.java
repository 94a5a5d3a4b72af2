package dht.storage;

/**
 * Bytes on disk are not the bytes that were written. Never retried, never answered with a guess.
 */
public final class CorruptionException extends StorageException {
    private final String file;
    private final long offsetBytes;

    /**
     * @param file name of the damaged file, within the data directory
     * @param offsetBytes where in the file the damaged part begins
     * @param detail what was found, and what was expected instead
     */
    public CorruptionException(String file, long offsetBytes, String detail) {
        this("corrupt data", file, offsetBytes, detail);
    }

    private CorruptionException(String what, String file, long offsetBytes, String detail) {
        super(what + ": file=" + file + " offset=" + offsetBytes + ": " + detail);
        this.file = file;
        this.offsetBytes = offsetBytes;
    }

    /**
     * Checks the version of a file's format, before anything that a newer one may have changed.
     *
     * @param offsetBytes where in the file the version lies
     * @throws CorruptionException if it is not the one that this program reads
     */
    public static void checkVersion(String file, long offsetBytes, int found, int supported) {
        if (found == supported) {
            return;
        }
        throw new CorruptionException(
                "unknown file format",
                file,
                offsetBytes,
                "version=%d supported=%d: %s"
                        .formatted(
                                found,
                                supported,
                                found > supported
                                        ? "written by a newer version of this program: use that one"
                                        : "no version of this program wrote that"));
    }

    public String file() {
        return file;
    }

    public long offsetBytes() {
        return offsetBytes;
    }
}
