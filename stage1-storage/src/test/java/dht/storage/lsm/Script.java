package dht.storage.lsm;

import dht.storage.Dao;
import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import dht.storage.TextDao;
import dht.storage.WriteListener;
import dht.storage.lsm.History.Write;
import dht.storage.simulation.Faults;
import dht.storage.simulation.Hook;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The steps that one process applies to an engine, until the last step or until the process dies.
 * If a step fails, the script continues, as a client does that tries again. A step is {@code put
 * KEY VALUE}, {@code late KEY VALUE} (a put with an old stamp), {@code delete KEY}, {@code flush},
 * {@code compact}, {@code reopen}, or {@code together KEY=VALUE …}: puts, and deletes where there
 * is no value, none of which waits for the sync of another.
 */
final class Script {
    /** Everything the engine can do to its files, in few steps. */
    static final List<String> EVERYTHING =
            List.of(
                    "put a 1",
                    "put b 2",
                    "put a 3",
                    "delete b",
                    "flush",
                    "put c " + "long".repeat(60),
                    "late a 0",
                    "put b 4",
                    "flush",
                    "compact",
                    "put d 5",
                    "reopen",
                    "put a 6",
                    "delete c",
                    "flush",
                    "put e 7",
                    "flush",
                    "compact",
                    "delete a",
                    "together f=" + "long".repeat(90) + " g=8 a=9 g=",
                    "put g 10",
                    "together h=11 b=12 h=13");

    /** The same in fewer steps, for where each step does more. */
    static final List<String> IN_SHORT =
            List.of(
                    "put a 1",
                    "put b 2",
                    "delete a",
                    "flush",
                    "late b 0",
                    "compact",
                    "put c " + "long".repeat(60),
                    "reopen",
                    "put a 3",
                    "together b= c=4 d=5 a=6",
                    "put d 7",
                    "together e=8 a= d=9");

    /** Opens the engine, on what the former one left. */
    interface Opener {
        /**
         * @param hook must be called before each operation on the directory
         */
        Dao open(Hook hook) throws IOException;
    }

    private final List<String> steps;
    private final Opener opener;
    private final BooleanSupplier isDead;
    private final boolean mayFail;
    private final History history = new History();
    private final Faults syncs = new Faults();
    private final Acknowledgements acknowledgements;
    private int acceptedCount;
    private TextDao dao;
    private boolean isBroken;
    private long clockMicros = 100;

    /**
     * @param isDead whether the process has died: what it is told from then on it tells nobody
     * @param mayFail whether anything may fail before that
     */
    Script(List<String> steps, Opener opener, BooleanSupplier isDead, boolean mayFail) {
        this.steps = steps;
        this.opener = opener;
        this.isDead = isDead;
        this.mayFail = mayFail;
        this.acknowledgements = new Acknowledgements(history, isDead);
    }

    /**
     * Runs all steps, as far as it comes, and {@code afterStep} after each. Leaves it to run on.
     */
    History run(Runnable afterStep) {
        open();
        for (String step : steps) {
            if (isDead.getAsBoolean() || isBroken) {
                break;
            }
            run(step);
            afterStep.run();
        }
        return history;
    }

    private void open() {
        dao = null;
        while (dao == null && !isDead.getAsBoolean()) {
            attempt(() -> dao = new TextDao(opener.open(syncs)));
        }
    }

    private void run(String step) {
        String[] words = step.split(" ");
        switch (words[0]) {
            case "put" -> write(List.of(new Write(words[1], words[2], ++clockMicros)));
            case "late" -> write(List.of(new Write(words[1], words[2], 50)));
            case "delete" -> write(List.of(new Write(words[1], null, ++clockMicros)));
            case "together" -> write(Stream.of(words).skip(1).map(this::parse).toList());
            case "flush" -> {
                if (attempt(dao::flush)) {
                    history.flush();
                }
            }
            case "compact" -> attempt(dao::compact);
            case "reopen" -> {
                close();
                if (!isBroken) {
                    open();
                }
            }
            default -> throw new IllegalArgumentException(step);
        }
    }

    /** Parses {@code KEY=VALUE}, or {@code KEY=} for a tombstone. */
    private Write parse(String text) {
        String[] parts = text.split("=");
        return new Write(parts[0], parts.length == 1 ? null : parts[1], ++clockMicros);
    }

    private interface Attempt {
        void run() throws IOException;
    }

    /** Answers whether it was done, to the knowledge of the living. */
    private boolean attempt(Attempt attempt) {
        try {
            attempt.run();
            return !isDead.getAsBoolean();
        } catch (IOException | StorageException e) {
            if (!mayFail && !isDead.getAsBoolean()) {
                throw new AssertionError("failed, and nothing was wrong", e);
            }
            return false;
        }
    }

    /**
     * Writes entries, and waits until the outcome of each is known. No sync ends before the last
     * entry is in its log. So those that the first group does not have are one group.
     */
    private void write(List<Write> writes) {
        syncs.block(SimulatedEngine::isGroupSync);
        try {
            writes.forEach(this::begin);
        } finally {
            syncs.release();
        }
        acknowledgements.await(acceptedCount);
        isBroken |= acknowledgements.isFailed();
        if (isBroken && !mayFail && !isDead.getAsBoolean()) {
            throw new AssertionError("a sync failed, and nothing was wrong");
        }
    }

    /** Begins a write as soon as it is accepted, if it is ever. */
    private void begin(Write write) {
        if (takesNoMore()) {
            return;
        }
        WriteListener acknowledgement = acknowledgements.begin(write);
        boolean isRefused = true;
        while (isRefused && !takesNoMore()) {
            try {
                dao.write(write.key(), write.value(), write.timestampMicros(), acknowledgement);
                isRefused = false;
                acceptedCount++;
            } catch (StorageUnavailableException e) {
                // Has left no trace, and may succeed later.
            }
        }
    }

    private boolean takesNoMore() {
        return isDead.getAsBoolean() || acknowledgements.isFailed();
    }

    /** Stops the engine. If the process is dead already, that makes no difference to anybody. */
    void close() {
        boolean isClosed = dao == null || attempt(dao.dao()::close);
        if (isDead.getAsBoolean()) {
            return;
        }
        if (isClosed) {
            history.flush();
        } else {
            history.loseUnflushed();
            isBroken = true;
        }
    }
}
