package dht.storage.contract;

import dht.storage.TextDao;

/** What the contract needs from an implementation of a storage. */
public interface DaoUnderTest {
    /** Open, and empty at first. */
    TextDao dao();

    /** Closes it and opens it again on the same data. */
    void reopen();
}
