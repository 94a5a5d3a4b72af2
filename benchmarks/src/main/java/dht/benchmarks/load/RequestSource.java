package dht.benchmarks.load;

/**
 * The requests of one thread, one after the other. The scripts for wrk2 draw the same random
 * numbers in the same order. Not thread-safe.
 */
final class RequestSource {
    /** So that the keys don't depend on the length of the values. */
    private static final int VALUE_STREAMS_FROM = 1 << 20;

    private final Workload workload;
    private final WorkloadSettings settings;
    private final KeySpace keys;
    private final CombinedRandom random;
    private final Distribution.Chooser chooser;
    private final Values values;
    private final RequestTemplate put;
    private final RequestTemplate get;
    private final RequestTemplate getMissing;
    private final RequestTemplate range;
    private final RequestTemplate status;
    private int valueIndex;

    RequestSource(
            Workload workload,
            WorkloadSettings settings,
            KeySpace keys,
            RequestTemplate.Maker templates) {
        this.workload = workload;
        this.settings = settings;
        this.keys = keys;
        this.random = new CombinedRandom(settings.seed(), keys.thread());
        this.chooser = settings.distribution().chooser(keys.size(), random);
        this.values =
                new Values(
                        settings.valueBytes(),
                        new CombinedRandom(settings.seed(), VALUE_STREAMS_FROM + keys.thread()));
        this.put = templates.put(settings);
        this.get = templates.get(settings);
        this.getMissing = templates.getMissing(settings);
        this.range = templates.range();
        this.status = templates.status();
    }

    /** What was asked, as far as it matters for judging the answer. */
    enum Kind {
        PUT,
        GET,
        GET_MISSING,
        RANGE,
        STATUS
    }

    /** For a connection that will send these requests. */
    RequestBuffers newBuffers() {
        return new RequestBuffers(Math.max(put.bytes(), range.bytes()), values.views());
    }

    /** Makes the buffers hold the next request. */
    Kind next(RequestBuffers target) {
        return switch (workload) {
            case PUT -> put(keys.number(chooser.next()), target);
            case GET -> get(target);
            case MIXED ->
                    random.next() < settings.readShare()
                            ? get(target)
                            : put(keys.number(chooser.next()), target);
            case STATUS -> {
                status.write(target.head());
                target.withoutBody();
                yield Kind.STATUS;
            }
            case RANGE -> range(target);
        };
    }

    /** Makes the buffers hold a write of a key. */
    Kind put(long number, RequestBuffers target) {
        put.write(number, target.head());
        target.withBody(valueIndex);
        valueIndex = valueIndex + 1 == values.count() ? 0 : valueIndex + 1;
        return Kind.PUT;
    }

    private Kind get(RequestBuffers target) {
        long number = keys.number(chooser.next());
        boolean missing = settings.missShare() > 0 && random.next() < settings.missShare();
        (missing ? getMissing : get).write(number, target.head());
        target.withoutBody();
        return missing ? Kind.GET_MISSING : Kind.GET;
    }

    private Kind range(RequestBuffers target) {
        long start = keys.number(chooser.next());
        if (!settings.keys().areListed()) {
            start = Math.min(start, settings.keys().count() - settings.rangeLength());
        }
        range.write(start, start + settings.rangeLength(), target.head());
        target.withoutBody();
        return Kind.RANGE;
    }
}
