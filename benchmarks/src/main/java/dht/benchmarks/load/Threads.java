package dht.benchmarks.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs tasks at the same time, each on a thread of its own. Thread-safe. */
final class Threads {
    private final List<Runnable> stops = new ArrayList<>(); // Guarded by itself.
    private volatile boolean interrupted;

    /** Something that runs until it is done, or is stopped by another thread. */
    record Task(Runnable run, Runnable stop) {}

    /**
     * Waits until all are done.
     *
     * @throws IllegalStateException if one failed
     */
    void run(List<Task> tasks) throws InterruptedException {
        synchronized (stops) {
            stops.clear();
            tasks.forEach(task -> stops.add(task.stop()));
            if (interrupted) {
                stops.forEach(Runnable::run);
            }
        }
        try (ExecutorService executor = Executors.newFixedThreadPool(tasks.size())) {
            List<Future<?>> ends = new ArrayList<>();
            tasks.forEach(task -> ends.add(executor.submit(task.run())));
            for (Future<?> end : ends) {
                end.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Waits for a moment, in milliseconds since 1970, but not after an interrupt. */
    void awaitMillis(long moment) throws InterruptedException {
        synchronized (stops) {
            long restMillis = moment - System.currentTimeMillis();
            while (restMillis > 0 && !interrupted) {
                stops.wait(restMillis);
                restMillis = moment - System.currentTimeMillis();
            }
        }
    }

    /** Stops what runs now, and what is run later. */
    void interrupt() {
        synchronized (stops) {
            interrupted = true;
            stops.forEach(Runnable::run);
            stops.notifyAll();
        }
    }
}
