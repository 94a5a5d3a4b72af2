package dht.storage;

import java.util.concurrent.CountDownLatch;

/** A write whose thread waits until it is durable. Thread-safe. */
final class AwaitedWrite implements WriteListener {
    private final CountDownLatch ended = new CountDownLatch(1);
    private StorageException failure; // Written before the latch opens.

    @Override
    public void durable() {
        ended.countDown();
    }

    @Override
    public void failed(StorageException reason) {
        failure = reason;
        ended.countDown();
    }

    /**
     * Waits until the write is durable. An interrupt does not end the wait.
     *
     * @throws StorageException if the write failed
     */
    void await() {
        boolean interrupted = false;
        while (ended.getCount() > 0) {
            try {
                ended.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure
                != null) { // Many waiting writes share this failure: each throws a new exception.
            throw new StorageException(failure.getMessage(), failure);
        }
    }
}
