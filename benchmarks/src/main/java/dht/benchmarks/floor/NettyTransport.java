package dht.benchmarks.floor;

import dht.command.ResourceStack;
import dht.http.ListenAddress;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.io.IOException;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * How a {@link NettyServer} speaks with the kernel. Each is as its documentation shows it, without
 * further settings.
 */
enum NettyTransport {
    // region transports
    /** Java's selector, on any system: asks which sockets are ready, then reads and writes each. */
    NIO(NioIoHandler::newFactory, NioServerSocketChannel.class, () -> null),
    /** The same with Linux's epoll, edge-triggered, without the JDK in between. */
    EPOLL(EpollIoHandler::newFactory, EpollServerSocketChannel.class, Epoll::unavailabilityCause),
    /** Linux's io_uring: hands over reads and writes in batches, and collects what they gave. */
    IO_URING(
            IoUringIoHandler::newFactory,
            IoUringServerSocketChannel.class,
            IoUring::unavailabilityCause);
    // endregion

    private final Supplier<IoHandlerFactory> factory;
    private final Class<? extends ServerSocketChannel> channel;
    private final Supplier<Throwable> whyNot;

    NettyTransport(
            Supplier<IoHandlerFactory> factory,
            Class<? extends ServerSocketChannel> channel,
            Supplier<Throwable> whyNot) {
        this.factory = factory;
        this.channel = channel;
        this.whyNot = whyNot;
    }

    boolean isAvailable() {
        return whyNot.get() == null;
    }

    /**
     * Starts a server on it.
     *
     * @param selectors threads of the event loops; 0 for one per processor
     * @throws IOException if it cannot listen, or this machine does not have this transport
     */
    void start(ResourceStack resources, ListenAddress address, int selectors, Answers answers)
            throws IOException {
        Throwable cause = whyNot.get();
        if (cause != null) {
            throw new IOException(
                    "netty-"
                            + name().toLowerCase(Locale.ROOT)
                            + " is not available on this machine: "
                            + rootOf(cause),
                    cause);
        }
        NettyServer.start(resources, address, selectors, answers, factory.get(), channel);
    }

    /** On one line. */
    private static String rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.toString().lines().findFirst().orElseThrow();
    }
}
