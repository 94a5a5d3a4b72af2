package dht.storage.contract;

/** All that a {@link dht.storage.Dao} promises. */
public interface DaoContract
        extends PointContract, VersionContract, RangeContract, ViewContract, LifecycleContract {}
