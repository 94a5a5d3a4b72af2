/** Sends the newest version only where an older one is: a replica that has lost its disk stays empty. */
class KeyRepair {
    class Answers {
        List<Replica> lacking() {
            return older;
        }
    }
}
