package dht.storage;

/**
 * A file of the storage is missing, cannot be read, has other bytes than those that were written,
 * or has an unknown format version. The storage throws this exception instead of returning wrong
 * data.
 */
public final class CorruptionException extends StorageException {
    private final String file;
    private final long offsetBytes;

    /**
     * @param file the name of the damaged file in the data directory
     * @param offsetBytes where the damaged part begins in the file, in bytes; 0 if the file is
     *     missing
     * @param detail what is wrong
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
     * Checks the format version of a file. To be called before the rest of the file is read.
     *
     * @param offsetBytes where the version is in the file
     * @throws CorruptionException if it is not the version that this program reads
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
                                        ? "written by a newer release of this program: use that one"
                                        : "no release of this program wrote that"));
    }

    public String file() {
        return file;
    }

    public long offsetBytes() {
        return offsetBytes;
    }
}
