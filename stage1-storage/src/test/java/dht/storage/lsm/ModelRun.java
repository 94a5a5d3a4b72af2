package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.StorageOptions;
import dht.storage.TextDao;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Applies steps to an engine and to its model, and compares the answers. Used once. */
final class ModelRun {
    private final Model model;
    private final SimulatedEngine engine;
    private final Map<Integer, Cursor> cursors = new TreeMap<>();
    private volatile long nowMillis = Model.START_MILLIS;

    private ModelRun(StorageOptions.Builder options, Duration grace) {
        this.model = new Model(grace.toMillis() * 1000);
        this.engine =
                new SimulatedEngine(
                        options.tombstoneGrace(grace)
                                .clock(() -> Instant.ofEpochMilli(nowMillis))
                                .build());
    }

    /** A cursor, what it has shown so far, and what it should show. */
    private record Cursor(EntryCursor cursor, Model expected, Map<String, String> found) {
        /** Answers whether it goes on. */
        boolean advance() {
            if (!cursor.next()) {
                return false;
            }
            EntryView entry = cursor.entry();
            String value = entry.isTombstone() ? "deleted" : TextDao.text(entry.copyValue());
            String former =
                    found.put(TextDao.text(entry.copyKey()), value + "@" + entry.timestampMicros());
            assertThat(former).as("key that a cursor shows again").isNull();
            return true;
        }
    }

    static void run(List<Step> steps, StorageOptions.Builder options, Duration grace)
            throws IOException {
        ModelRun run = new ModelRun(options, grace);
        try {
            steps.forEach(run::step);
            run.finish();
        } finally {
            run.cursors.values().forEach(it -> it.cursor.close());
            run.engine.close();
        }
    }

    private void step(Step step) {
        switch (step) {
            case Step.Write write -> {
                engine.dao().write(write.key(), write.value(), write.timestampMicros());
                model.write(write);
            }
            case Step.Get get -> model.checkGet(get.key(), engine.dao().get(get.key()));
            case Step.Open open -> {
                finish(open.cursor());
                cursors.put(open.cursor(), open(open.from(), open.to()));
            }
            case Step.Advance advance -> advance(advance);
            case Step.Finish finish -> finish(finish.cursor());
            case Step.Flush _ -> engine.dao().flush();
            case Step.Compact _ -> engine.dao().compact();
            case Step.Reopen _ -> {
                engine.reopen();
                checkGreatest();
            }
            case Step.Time time -> {
                nowMillis = time.millis();
                model.time(time.millis());
            }
        }
    }

    private Cursor open(String from, String to) {
        return new Cursor(
                engine.dao().cursor(from, to), model.between(from, to), new LinkedHashMap<>());
    }

    private void advance(Step.Advance step) {
        Cursor cursor = cursors.get(step.cursor());
        for (int i = 0; cursor != null && i < step.count(); i++) {
            boolean unused = cursor.advance();
        }
    }

    private void finish(int number) {
        Cursor open = cursors.get(number);
        if (open == null) {
            return;
        }
        boolean goesOn = true;
        while (goesOn) {
            goesOn = open.advance();
        }
        open.expected.checkRange(open.found);
        open.cursor.close();
        cursors.remove(number);
    }

    private void checkGreatest() {
        assertThat(engine.dao().dao().greatestTimestampMicros())
                .as("greatest stamp")
                .isEqualTo(model.greatestTimestampMicros());
    }

    /** Reads everything once more, and looks what is left when the engine is closed. */
    private void finish() throws IOException {
        step(new Step.Open(StepGenerator.CURSORS, null, null));
        List.copyOf(cursors.keySet()).forEach(this::finish);
        model.keys().forEach(key -> model.checkGet(key, engine.dao().get(key)));
        checkGreatest();
        engine.dao().dao().close();
        Survivor.checkNoLeftovers(engine.disk);
    }
}
