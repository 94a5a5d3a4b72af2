package dht.http;

import java.time.Duration;

/**
 * Limits of the HTTP server: what a client may ask of it, and for how long.
 *
 * @param selectorThreads threads that read and write the sockets; 0 for one a processor
 * @param connectionCountMax further connections are closed at once
 * @param headBytesMax of request line and headers together; beyond it 431 (or 400, if it is the
 *     line) and close
 * @param headerCountMax lines of header; beyond it 431 and close
 * @param bodyBytesMax of a request; beyond it 413 and close
 * @param connectionMemoryBytesMax that all connections may hold together: input that waits, heads,
 *     bodies, answers that wait; beyond it 503, or the connection is closed. A quarter is for
 *     connections that hold little
 * @param rangeCountMax ranges that are being read at the same time, as each holds on to tables;
 *     beyond it 503
 * @param idleTimeout a connection on which nothing moves for so long is closed, in the middle of a
 *     request or an answer too
 * @param headTimeout a request's head must be complete so long after its first byte
 * @param dataRateMin bytes a second that a body or an answer must move
 * @param dataRateWindow over which that is measured: a slower body is answered 408, and the
 *     connection of a slower answer is closed
 * @param drainTimeout how long a server that stops waits for answers in flight
 */
public record HttpOptions(
        int selectorThreads,
        int connectionCountMax,
        int headBytesMax,
        int headerCountMax,
        int bodyBytesMax,
        long connectionMemoryBytesMax,
        int rangeCountMax,
        Duration idleTimeout,
        Duration headTimeout,
        long dataRateMin,
        Duration dataRateWindow,
        Duration drainTimeout) {}
