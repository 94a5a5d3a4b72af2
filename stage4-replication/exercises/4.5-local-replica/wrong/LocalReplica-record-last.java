/** Stores the record after the version: if the node ends in between, the version has no record. */
class LocalReplica {
    public void store(EntityRequest request, long timestampMicros, WriteListener listener) {
        switch (request) {
            case EntityRequest.Put put ->
                    dao.upsert(put.key(), put.value(), timestampMicros, listener);
            case EntityRequest.Delete delete -> dao.delete(delete.key(), timestampMicros, listener);
            case EntityRequest.Get get -> throw new IllegalArgumentException("" + get);
        }
        if (request.from() > 0) {
            PlacementRecord.store(dao, request.key(), request.from(), timestampMicros);
        }
    }
}
