/** Sends the hint until it is stored, but removes it first: a process that ends in the meantime loses it. */
class HintSender {
    private void sendNext() throws InterruptedException {
        Copy hint = hints.awaitOldest();
        hints.removeOldest();
        if (isTooOld(hint)) {
            counts.hintExpired();
            return;
        }
        while (true) {
            limiter.awaitTurn();
            switch (BlockingCall.write(replica, hint)) {
                case WriteAnswer.Stored _, WriteAnswer.Superseded _ -> {
                    counts.hintDelivered();
                    return;
                }
                case WriteAnswer.Rejected _ -> {
                    counts.hintRejected();
                    return;
                }
                case WriteAnswer.Failed failed when failed.isStored() -> {
                    counts.hintDelivered();
                    return;
                }
                case WriteAnswer.Failed _ -> TimeUnit.MILLISECONDS.sleep(retryMillis);
            }
        }
    }
}
