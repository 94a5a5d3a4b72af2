package dht.peer.async;

import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Silent;
import dht.peer.PeerAnswer.Unreachable;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What the failures of the JDK's client mean. */
final class AnswerFailures {
    private AnswerFailures() {}

    static PeerAnswer answer(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        boolean isSilent =
                cause instanceof HttpTimeoutException
                        && !(cause instanceof HttpConnectTimeoutException);
        return isSilent ? new Silent() : new Unreachable(message(cause));
    }

    /** Its own, or the first one below it: the client wraps some in others without. */
    private static String message(Throwable failure) {
        Throwable told = failure;
        while (told.getMessage() == null && told.getCause() != null) {
            told = told.getCause();
        }
        return told.getMessage() == null ? told.getClass().getSimpleName() : told.getMessage();
    }
}
