class HintSender {
    private void sendNext() throws InterruptedException {
        Copy hint = hints.awaitOldest();
        hints.removeOldest();
        if (isTooOld(hint)) {
            counts.hintExpired();
            return;
        }
        limiter.awaitTurn();
        while (replica.isBehind()) {
            TimeUnit.MILLISECONDS.sleep(retryMillis);
        }
        switch (BlockingCall.write(replica, hint)) {
            case WriteAnswer.Stored _, WriteAnswer.Superseded _ -> delivered();
            case WriteAnswer.Rejected _ -> {
                // The node rejects the stamp, as it would have rejected the original write.
                counts.hintRejected();
            }
            case WriteAnswer.Failed failed when failed.isStored() -> delivered();
            case WriteAnswer.Failed _ -> TimeUnit.MILLISECONDS.sleep(retryMillis);
        }
    }

    private void delivered() {
        counts.hintDelivered();
    }
}
