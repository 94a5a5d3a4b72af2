package dht.storage.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One file, as a crash left it.
 *
 * @param content what the system showed of it, as far as it has blocks on the disk
 * @param size up to which the file goes on, in zeros
 * @param durableContent what is on the platters
 * @param durableSize size of the file on the platters
 */
record FileImage(byte[] content, long size, byte[] durableContent, long durableSize) {
    static final int SECTOR_BYTES = 512;

    /** A file that is wholly durable. */
    static FileImage durable(byte[] content, long size) {
        return new FileImage(content, size, content, size);
    }

    FileImage afterPowerFailure(Loss loss, SplittableRandom random) {
        return switch (loss) {
            case NOTHING -> durable(content, size);
            case ALL -> cut(durableContent, durableSize);
            case SECTORS -> torn(random);
        };
    }

    private FileImage torn(SplittableRandom random) {
        long tornSize = random.nextBoolean() ? size : durableSize;
        byte[] torn = Arrays.copyOf(durableContent, content.length);
        for (int sector = 0; sector < torn.length; sector += SECTOR_BYTES) {
            if (random.nextBoolean()) {
                int length = Math.min(SECTOR_BYTES, content.length - sector);
                System.arraycopy(content, sector, torn, sector, length);
            }
        }
        return cut(torn, tornSize);
    }

    private static FileImage cut(byte[] content, long size) {
        return durable(Arrays.copyOf(content, (int) Math.min(content.length, size)), size);
    }
}
