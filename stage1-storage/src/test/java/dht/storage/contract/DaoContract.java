package dht.storage.contract;

/** The tests that every {@link dht.storage.Dao} must pass. */
public interface DaoContract
        extends PointContract, VersionContract, RangeContract, ViewContract, LifecycleContract {}
