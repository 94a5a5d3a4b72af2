package dht.benchmarks.floor;

import dht.benchmarks.load.WorkloadSettings;

/**
 * What a bare server answers, whichever library reads the request: the status of a stage, with a
 * body as long as a stage's. Immutable.
 */
final class Answers {
    /**
     * One answer.
     *
     * @param body shared by all answers of its kind: not to be written to
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Answer(int status, byte[] body) {}

    private static final byte[] EMPTY = {};
    private static final Answer STORED = new Answer(201, EMPTY);
    private static final Answer DELETED = new Answer(202, EMPTY);
    private static final Answer OTHER = new Answer(200, EMPTY);

    private final Answer value;
    private final Answer range;

    Answers(WorkloadSettings settings) {
        this.value = new Answer(200, new byte[settings.valueBytes()]);
        this.range = new Answer(200, new byte[settings.rangeBytes()]);
    }

    /**
     * Of a request that was read whole.
     *
     * @param path of its target, without the query
     */
    Answer to(String method, String path) {
        return switch (method) {
            case "PUT" -> STORED;
            case "DELETE" -> DELETED;
            default ->
                    switch (path) {
                        case "/v0/entity" -> value;
                        case "/v0/entities" -> range;
                        default -> OTHER;
                    };
        };
    }
}
