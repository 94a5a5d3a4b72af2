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
        super("corrupt data: file=" + file + " offset=" + offsetBytes + ": " + detail);
        this.file = file;
        this.offsetBytes = offsetBytes;
    }

    public String file() {
        return file;
    }

    public long offsetBytes() {
        return offsetBytes;
    }
}
