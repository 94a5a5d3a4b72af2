/** Stores no record: then all nodes seem to hold the version, and a repair copies it to nodes that should not have it. */
class LocalReplica {
    public void store(EntityRequest request, long timestampMicros, WriteListener listener) {
        switch (request) {
            case EntityRequest.Put put ->
                    dao.upsert(put.key(), put.value(), timestampMicros, listener);
            case EntityRequest.Delete delete -> dao.delete(delete.key(), timestampMicros, listener);
            case EntityRequest.Get get -> throw new IllegalArgumentException("" + get);
        }
    }
}
