package dht.storage.contract;

import dht.storage.TextDao;

/** What a contract needs of an implementation. */
public interface DaoUnderTest {
    /** Open, and empty at first. */
    TextDao dao();

    /** Closes it and opens it again on the same data. */
    void reopen();
}
