package dht.benchmarks.load;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** A load from its first request to its last: warm-up, then the run. Not thread-safe. */
final class LoadRun {
    private final LoadOptions options;
    private final Workload workload;
    private final WorkloadSettings settings;
    private final Threads threads;
    private final PrintStream out;

    LoadRun(
            LoadOptions options,
            Workload workload,
            WorkloadSettings settings,
            Threads threads,
            PrintStream out) {
        this.options = options;
        this.workload = workload;
        this.settings = settings;
        this.threads = threads;
        this.out = out;
    }

    /** What a run counted, and how long it took. */
    record Result(LoadStatistics statistics, Timeline timeline, long elapsedNanos) {}

    /**
     * Runs to the end of the duration, or until the threads are interrupted. Says when it begins:
     * from this moment on, the seconds of the timeline are counted.
     */
    Result run() throws IOException, InterruptedException {
        if (!options.warmup().isZero()) {
            run(options.asWarmup(), () -> {});
        }
        WrkReport.printHead(options, out);
        return run(options, () -> out.println("Began: " + System.currentTimeMillis()));
    }

    private Result run(LoadOptions options, Runnable begins)
            throws IOException, InterruptedException {
        int firstThread = settings.part().firstThread(options.threads());
        int allThreads = settings.part().allThreads(options.threads());
        List<LoadThread> loads = new ArrayList<>();
        for (int i = 0; i < options.threads(); i++) {
            KeySpace keys = new KeySpace(settings.keys(), firstThread + i, allThreads);
            RequestSource requests =
                    new RequestSource(workload, settings, keys, options.templates(i));
            loads.add(new LoadThread(options, i, requests, System::nanoTime, out::println));
        }
        begins.run();
        long startNanos = System.nanoTime();
        threads.run(loads.stream().map(load -> new Threads.Task(load, load::stop)).toList());
        long elapsedNanos = System.nanoTime() - startNanos;
        LoadStatistics total = new LoadStatistics();
        Timeline timeline = new Timeline();
        for (LoadThread load : loads) {
            total.add(load.statistics());
            timeline.add(load.timeline());
        }
        return new Result(total, timeline, elapsedNanos);
    }
}
