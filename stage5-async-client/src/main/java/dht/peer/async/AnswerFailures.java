package dht.peer.async;

import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import java.io.UncheckedIOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What the failures of the JDK's client mean. */
public final class AnswerFailures {
    private AnswerFailures() {}

    public static PeerAnswer answer(Throwable failure) {
        Throwable cause = failure;
        while (isWrapping(cause) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (hasNoMemory(cause)) {
            return TooLarge.INSTANCE; // This node's own want: the other is well.
        }
        boolean isSilent =
                cause instanceof HttpTimeoutException
                        && !(cause instanceof HttpConnectTimeoutException);
        return isSilent ? TimedOut.INSTANCE : new Unreachable(message(cause));
    }

    private static boolean isWrapping(Throwable failure) {
        return failure instanceof CompletionException
                || failure instanceof ExecutionException
                || failure instanceof UncheckedIOException;
    }

    /** The client wraps what happens on its thread in an {@code IOException}. */
    private static boolean hasNoMemory(Throwable failure) {
        return failure instanceof OutOfMemoryError
                || (failure.getCause() != null && hasNoMemory(failure.getCause()));
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
