/** Gives each write a stamp of its own clock: replicas that get two writes in different orders never agree. */
class LocalReplica {
    public void store(EntityRequest request, long timestampMicros, WriteListener listener) {
        switch (request) {
            case EntityRequest.Put put ->
                    dao.upsert(put.key(), put.value(), clock.nextMicros(), listener);
            case EntityRequest.Delete delete ->
                    dao.delete(delete.key(), clock.nextMicros(), listener);
            case EntityRequest.Get get -> throw new IllegalArgumentException("" + get);
        }
    }
}
