/** Removes the hint after any answer: a failure loses the hint, too. */
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
            case WriteAnswer.Stored _, WriteAnswer.Superseded _ -> counts.hintDelivered();
            case WriteAnswer.Rejected _ -> counts.hintRejected();
            case WriteAnswer.Failed failed when failed.isStored() -> counts.hintDelivered();
            case WriteAnswer.Failed _ -> TimeUnit.MILLISECONDS.sleep(retryMillis);
        }
        hints.removeOldest();
    }
}
