package dht.storage.lsm;

import dht.storage.Dao;
import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import dht.storage.TextDao;
import dht.storage.lsm.History.Write;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The steps that one process applies to an engine, until the last step or until the process dies.
 * If a step fails, the script continues, as a client does that tries again. A step is {@code put
 * KEY VALUE}, {@code late KEY VALUE} (a put with an old stamp), {@code delete KEY}, {@code flush},
 * {@code compact}, or {@code reopen}.
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
                    "put f " + "long".repeat(90),
                    "put g 8",
                    "put g 9");

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
                    "delete b",
                    "put d 4");

    /** Opens the engine, on what the former one left. */
    interface Opener {
        Dao open() throws IOException;
    }

    private final List<String> steps;
    private final Opener opener;
    private final BooleanSupplier isDead;
    private final boolean mayFail;
    private final History history = new History();
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
            attempt(() -> dao = new TextDao(opener.open()));
        }
    }

    private void run(String step) {
        String[] words = step.split(" ");
        switch (words[0]) {
            case "put" -> write(new Write(words[1], words[2], ++clockMicros));
            case "late" -> write(new Write(words[1], words[2], 50));
            case "delete" -> write(new Write(words[1], null, ++clockMicros));
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

    private void write(Write write) {
        history.begin(write);
        boolean isRefused = true;
        while (isRefused && !isDead.getAsBoolean()) {
            try {
                dao.write(write.key(), write.value(), write.timestampMicros());
                isRefused = false;
                if (!isDead.getAsBoolean()) {
                    history.acknowledge();
                }
            } catch (StorageUnavailableException e) {
                // Has left no trace, and may succeed later.
            } catch (StorageException e) {
                isBroken = true; // It may be there or not, and the storage takes no more.
                return;
            }
        }
    }

    /** Stops the engine. If the process is dead already, that makes no difference to anybody. */
    void close() {
        if (dao != null && !attempt(dao.dao()::close)) {
            history.loseUnflushed();
            isBroken = true;
        } else {
            history.flush();
        }
    }
}
