/** Sends the newest version only to replicas with an older one: a replica that has lost its disk stays empty. */
class KeyRepair {
    class Answers {
        List<Replica> lacking() {
            return older;
        }
    }
}
