/** Puts a failed hint at the end of the queue, so that others are sent first: their order is lost. */
class HintSender {
    private void sendNext() throws InterruptedException {
        Copy hint = hints.awaitOldest();
        if (isTooOld(hint)) {
            counts.hintExpired();
            hints.removeOldest();
            return;
        }
        limiter.awaitTurn();
        switch (BlockingCall.write(replica, hint)) {
            case WriteAnswer.Stored _, WriteAnswer.Superseded _ -> delivered();
            case WriteAnswer.Rejected _ -> {
                counts.hintRejected();
                hints.removeOldest();
            }
            case WriteAnswer.Failed failed when failed.isStored() -> delivered();
            case WriteAnswer.Failed _ -> {
                hints.add(hint.key(), null, hint.timestampMicros());
                hints.removeOldest();
                TimeUnit.MILLISECONDS.sleep(retryMillis);
            }
        }
    }

    private void delivered() {
        counts.hintDelivered();
        hints.removeOldest();
    }
}
