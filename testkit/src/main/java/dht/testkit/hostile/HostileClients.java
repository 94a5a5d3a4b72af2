package dht.testkit.hostile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Many connections of one {@link HostileKind} to one server, which one thread opens and keeps open.
 * If the server ends one of them, it is opened again. Each sends one more byte every {@value
 * #PERIOD_SECONDS} s: far less than a server may demand, and how a client that does not read learns
 * that its connection has ended.
 *
 * <p>On Linux, the connections come from several addresses, because one address has only some
 * 28,000 ports to connect from.
 *
 * <p>Threads may share it.
 */
public final class HostileClients implements AutoCloseable {
    static final int PERIOD_SECONDS = 4;

    private static final int FIRST_PER_SECOND = 1000;
    private static final int CONNECTING_MAX = 200;

    /**
     * Of the clients that do not read, so many wait for the first byte of an answer at a time. With
     * more of them, the server would be overloaded: that is another fault.
     */
    private static final int UNANSWERED_MAX = 8;

    private static final int SOURCE_COUNT = 8;
    private static final int SOURCE_FIRST = 2; // 127.0.0.2
    private static final boolean HAS_SOURCES = System.getProperty("os.name").startsWith("Linux");

    /** The operating system keeps little for a client that does not read. */
    private static final int RECEIVE_BUFFER_BYTES = 4 << 10;

    private static final Duration PERIOD = Duration.ofSeconds(PERIOD_SECONDS);
    private static final long PAUSE_MILLIS_MAX = 20;

    private final HostileKind kind;
    private final InetSocketAddress server;
    private final byte[] opening;
    private final int countMax;
    private final long periodNanos;
    private final Selector selector;
    private final Thread thread = Thread.ofPlatform().name("hostile-clients").unstarted(this::run);

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong ended = new AtomicLong();
    private volatile boolean closing;
    private volatile Throwable failure; // Null while all is well.

    // Used only by the thread.
    private final long startNanos = System.nanoTime();
    private final Deque<Client> byDueTime = new ArrayDeque<>();
    private final ByteBuffer discarded = ByteBuffer.allocateDirect(64 << 10);
    private int connecting;
    private int unanswered;
    private long begunCount;

    private HostileClients(HostileKind kind, URI server, String key, int countMax, Duration period)
            throws IOException {
        this.kind = kind;
        this.server = new InetSocketAddress(server.getHost(), server.getPort());
        this.opening = kind.opening(key);
        this.countMax = countMax;
        this.periodNanos = period.toNanos();
        this.selector = Selector.open();
    }

    /**
     * Begins to open the connections, and returns at once.
     *
     * @param key its value is read or written; for clients that read, the server must have it
     * @param countMax how many connections are open at the same time
     */
    public static HostileClients start(HostileKind kind, URI server, String key, int countMax) {
        return start(kind, server, key, countMax, PERIOD);
    }

    /**
     * @param period the time between two bytes on each connection
     */
    static HostileClients start(
            HostileKind kind, URI server, String key, int countMax, Duration period) {
        try {
            var clients = new HostileClients(kind, server, key, countMax, period);
            clients.thread.start();
            return clients;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many connections are open, and have sent what they send at once. */
    public int openCount() {
        expectNoFailure();
        return open.get();
    }

    /** How many connections have ended, or were not accepted, so far. */
    public long endedCount() {
        expectNoFailure();
        return ended.get();
    }

    private void expectNoFailure() {
        if (failure != null) {
            throw new IllegalStateException("the hostile clients have failed", failure);
        }
    }

    private void run() {
        try {
            while (!closing) {
                beginDue();
                trickle();
                selector.select(this::handle, PAUSE_MILLIS_MAX);
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        } finally {
            end();
        }
    }

    /** Opens as many connections as may be opened by now. */
    private void beginDue() throws IOException {
        var seconds = (System.nanoTime() - startNanos) / 1e9;
        var sinceFirst = Math.max(0, seconds - (double) countMax / FIRST_PER_SECOND);
        var dueCount =
                Math.min(countMax, seconds * FIRST_PER_SECOND) + sinceFirst * kind.againPerSecond();
        while (begunCount < dueCount && hasRoomForMore() && connecting + open.get() < countMax) {
            begin();
        }
        if (connecting + open.get() == countMax) {
            begunCount = Math.max(begunCount, (long) dueCount); // Nothing is made up for later.
        }
    }

    private boolean hasRoomForMore() {
        return kind.isReading()
                ? connecting < CONNECTING_MAX
                : connecting + unanswered < UNANSWERED_MAX;
    }

    private void begin() throws IOException {
        var channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        if (HAS_SOURCES) {
            var last = (byte) (SOURCE_FIRST + begunCount % SOURCE_COUNT);
            var source = InetAddress.getByAddress(new byte[] {127, 0, 0, last});
            channel.bind(new InetSocketAddress(source, 0));
        }
        begunCount++;
        connecting++;
        var client = new Client(channel);
        try {
            channel.connect(server);
            client.key = channel.register(selector, SelectionKey.OP_CONNECT, client);
        } catch (IOException e) {
            client.drop();
        }
    }

    /** Lets each connection send its next byte, as soon as this is due. */
    private void trickle() {
        var nowNanos = System.nanoTime();
        for (var client = byDueTime.peek();
                client != null && nowNanos - client.dueNanos >= 0;
                client = byDueTime.peek()) {
            byDueTime.remove();
            if (client.isOpen) {
                client.trickle(nowNanos);
            }
        }
    }

    private void handle(SelectionKey key) {
        var client = (Client) key.attachment();
        try {
            client.handle(key);
        } catch (IOException e) {
            client.drop();
        }
    }

    private void end() {
        for (var key : selector.keys()) {
            ((Client) key.attachment()).close();
        }
        try {
            selector.close();
        } catch (IOException e) {
            failure = e;
        }
    }

    /** Closes all connections, as clients do that leave. */
    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** One connection. Used only by the thread. */
    private final class Client {
        private final SocketChannel channel;
        private final ByteBuffer unsent = ByteBuffer.wrap(opening);
        private SelectionKey key;
        private boolean isConnected;
        private boolean isOpen;
        private boolean isUnanswered;
        private boolean isDropped;
        private long dueNanos;

        Client(SocketChannel channel) {
            this.channel = channel;
        }

        void handle(SelectionKey ready) throws IOException {
            if (ready.isConnectable()) {
                channel.finishConnect();
                isConnected = true;
                connecting--;
                open.incrementAndGet();
                setUnanswered(!kind.isReading());
                send();
            } else if (ready.isWritable()) {
                send();
            }
            if (!isDropped && ready.isReadable()) {
                receive();
            }
        }

        private void setUnanswered(boolean isWaiting) {
            if (isWaiting != isUnanswered) {
                unanswered += isWaiting ? 1 : -1;
                isUnanswered = isWaiting;
            }
        }

        private void send() throws IOException {
            channel.write(unsent);
            var isDone = !unsent.hasRemaining();
            key.interestOps(SelectionKey.OP_READ | (isDone ? 0 : SelectionKey.OP_WRITE));
            if (isDone) {
                isOpen = true;
                await(System.nanoTime());
            }
        }

        private void await(long nowNanos) {
            dueNanos = nowNanos + periodNanos;
            byDueTime.add(this);
        }

        /** Reads what has arrived, or only takes notice of it. */
        private void receive() throws IOException {
            if (!kind.isReading()) {
                setUnanswered(false);
                key.interestOpsAnd(~SelectionKey.OP_READ);
                return;
            }
            discarded.clear();
            if (channel.read(discarded) < 0) {
                drop();
            }
        }

        void trickle(long nowNanos) {
            try {
                channel.write(ByteBuffer.wrap(new byte[] {'a'}));
                await(nowNanos);
            } catch (IOException e) {
                drop();
            }
        }

        void drop() {
            if (isDropped) {
                return;
            }
            if (isConnected) {
                open.decrementAndGet();
            } else {
                connecting--;
            }
            setUnanswered(false);
            ended.incrementAndGet();
            close();
        }

        void close() {
            isDropped = true;
            isOpen = false;
            try {
                channel.close();
            } catch (IOException _) {
                // It has ended already.
            }
        }
    }
}
