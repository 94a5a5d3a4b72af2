package dht.peer.async;

import dht.cluster.NodeAddress;
import dht.http.ErrorLog;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.OwnFailure;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.Unreachable;
import java.io.UncheckedIOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Translates failures of the JDK's client into answers. Stateless and thread-safe. */
public final class AnswerFailures {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerFailures.class);

    private AnswerFailures() {}

    /** Throws nothing, even if there is no memory. */
    public static PeerAnswer answer(Throwable failure) {
        try {
            return described(failure);
        } catch (OutOfMemoryError e) {
            return NoMemory.INSTANCE;
        }
    }

    /**
     * The answer for a failure of this node's own code. Logs it, unless memory is exhausted: any
     * other failure is a bug. Throws nothing.
     */
    public static PeerAnswer ownFailure(Throwable failure, NodeAddress node) {
        if (hasNoMemory(failure)) {
            return NoMemory.INSTANCE;
        }
        ErrorLog.log(LOG, "this node has failed to ask another one: node={}", node, failure);
        return OwnFailure.INSTANCE;
    }

    private static PeerAnswer described(Throwable failure) {
        Throwable cause = failure;
        while (isWrapping(cause) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (hasNoMemory(cause)) {
            return NoMemory.INSTANCE;
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

    /**
     * Looks at all causes, because the client wraps an error of its thread in an {@code
     * IOException}.
     */
    private static boolean hasNoMemory(Throwable failure) {
        return failure instanceof OutOfMemoryError
                || (failure.getCause() != null && hasNoMemory(failure.getCause()));
    }

    /**
     * The message of the failure. If it has none, the message of its first cause that has one: the
     * client wraps some failures in exceptions without a message.
     */
    private static String message(Throwable failure) {
        Throwable described = failure;
        while (described.getMessage() == null && described.getCause() != null) {
            described = described.getCause();
        }
        return described.getMessage() == null
                ? described.getClass().getSimpleName()
                : described.getMessage();
    }
}
