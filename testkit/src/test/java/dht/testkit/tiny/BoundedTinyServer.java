package dht.testkit.tiny;

import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** A small server that serves one request for entries at a time, and rejects the others. */
class BoundedTinyServer extends TinyServer {
    /** How long a request takes, so that other requests arrive in the meantime. */
    private static final long WORK_NANOS = 1_000_000;

    private final Semaphore room = new Semaphore(1);

    BoundedTinyServer(NodeSpec spec) {
        super(spec);
    }

    @Override
    TinyAnswer answer(TinyRequest request, byte[] body) throws TinyRequest.Fault, IOException {
        if (!isBounded(request)) {
            return super.answer(request, body);
        }
        if (!tryEnter()) {
            return refusal();
        }
        try {
            LockSupport.parkNanos(WORK_NANOS);
            return super.answer(request, body);
        } finally {
            leaveAfterWork();
        }
    }

    boolean isBounded(TinyRequest request) {
        return request.path().startsWith("/v0/entit");
    }

    boolean tryEnter() {
        return room.tryAcquire();
    }

    void leaveAfterWork() {
        leave();
    }

    final void leave() {
        room.release();
    }

    TinyAnswer refusal() {
        return error(503, "too many requests").header("Retry-After: 1");
    }
}
