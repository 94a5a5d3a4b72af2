package dht.http;

import java.time.Duration;

/**
 * Limits of the HTTP server. Immutable.
 *
 * @param selectorThreads threads that read and write the sockets; 0: one per processor
 * @param connectionCountMax further connections are closed at once
 * @param headBytesMax limit for request line and headers together; a larger head gets 431 (400 if
 *     the request line alone is too long), and the connection is closed
 * @param headerCountMax limit for header lines; a request with more gets 431, and the connection is
 *     closed
 * @param bodyBytesMax limit for the body of a request; a larger one gets 413, and the connection is
 *     closed
 * @param connectionMemoryBytesMax limit for the memory of all connections together: waiting input,
 *     heads, bodies and waiting answers; beyond it, a request gets 503 or its connection is closed.
 *     A quarter is reserved for connections that hold little
 * @param rangeCountMax limit for ranges that are read at the same time, because each keeps old
 *     tables in use; further ones get 503
 * @param idleTimeout a connection without any traffic for this time is closed, also in the middle
 *     of a request or an answer, but not while the server works on a request
 * @param headTimeout a request's head must be complete within this time after its first byte;
 *     otherwise the connection is closed
 * @param dataRateMin the lowest allowed rate of an incomplete request or an answer, in bytes per
 *     second; with 0, a client must still move one byte per {@code dataRateWindow}
 * @param dataRateWindow the time over which the rate is measured; below it, a body gets 408, and in
 *     each case the connection is closed
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
