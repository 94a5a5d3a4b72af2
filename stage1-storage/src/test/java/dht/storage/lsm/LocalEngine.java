package dht.storage.lsm;

import dht.storage.FastTempDir;
import dht.storage.StorageOptions;
import dht.storage.TextDao;
import dht.storage.contract.DaoUnderTest;
import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An engine in a real directory. */
abstract class LocalEngine implements DaoUnderTest {
    @TempDir(factory = FastTempDir.class)
    Path path;

    private final StorageOptions options;
    private TextDao dao;

    LocalEngine(StorageOptions options) {
        this.options = options;
    }

    @BeforeEach
    void open() {
        try {
            dao = new TextDao(LsmDao.open(LocalDirectory.open(path), options));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void close() {
        dao.dao().close();
    }

    @Override
    public TextDao dao() {
        return dao;
    }

    @Override
    public void reopen() {
        close();
        open();
    }
}
