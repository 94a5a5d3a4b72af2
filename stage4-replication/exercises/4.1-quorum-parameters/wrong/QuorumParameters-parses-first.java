/** Accepts what Integer.parseInt accepts: also a sign, and digits of other scripts. */
class QuorumParameters {
    private static int number(String name, byte[] value) throws RequestException {
        try {
            return Integer.parseInt(text(value));
        } catch (NumberFormatException e) {
            throw RequestException.badRequest(name + ": must be a whole number");
        }
    }

    private Quorum ofPair(String replicas) throws RequestException {
        String[] parts = replicas.split("/");
        if (parts.length != 2) {
            throw RequestException.badRequest("replicas: must be ack/from");
        }
        int ack = number("replicas", parts[0].getBytes(ISO_8859_1));
        return checked("replicas=" + replicas, ack, number("replicas", parts[1].getBytes(ISO_8859_1)));
    }
}
