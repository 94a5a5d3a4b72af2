package dht.benchmarks.floor;

import dht.command.ResourceStack;
import dht.http.ListenAddress;
import java.io.IOException;

/** The library that reads requests and writes answers in a {@link BareServer}. */
enum HttpLibrary {
    ONE_NIO("one-nio", OneNioServer::start),
    NETTY_NIO("netty-nio", NettyTransport.NIO::start),
    NETTY_EPOLL("netty-epoll", NettyTransport.EPOLL::start),
    NETTY_IO_URING("netty-io_uring", NettyTransport.IO_URING::start),
    HELIDON("helidon", withoutSelectors(HelidonServer::start)),
    JDK("jdk", withoutSelectors(JdkServer::start)),
    JDK_VIRTUAL("jdk-virtual", withoutSelectors(JdkServer::startOnVirtualThreads));

    /** Most of what a request's body may have: as much as a value may. */
    static final int BODY_BYTES_MAX = 16 << 20;

    /** How many connections may wait to be accepted. */
    static final int BACKLOG = 1024;

    /** Starts a server of a library. */
    @FunctionalInterface
    interface Starter {
        /**
         * Returns when it accepts requests.
         *
         * @param resources takes what must be closed to end it
         * @param selectors threads that read and write the sockets; 0 for one per processor
         * @throws IOException if it cannot listen, or this machine has not what it needs
         */
        void start(ResourceStack resources, ListenAddress address, int selectors, Answers answers)
                throws IOException;
    }

    /** Starts a server of a library that decides by itself which threads serve the sockets. */
    @FunctionalInterface
    private interface SimpleStarter {
        void start(ResourceStack resources, ListenAddress address, Answers answers)
                throws IOException;
    }

    private final String title;
    private final Starter starter;

    HttpLibrary(String title, Starter starter) {
        this.title = title;
        this.starter = starter;
    }

    /**
     * Starts a server on this library; returns its URL.
     *
     * @param selectors threads that read and write the sockets; 0 for the library's default or,
     *     where it has none, one per processor
     * @throws IllegalArgumentException if the library has no such threads, and some were asked for
     * @throws IOException if it cannot listen, or this machine has not what the library needs
     */
    String start(ResourceStack resources, ListenAddress address, int selectors, Answers answers)
            throws IOException {
        starter.start(resources, address, selectors, answers);
        return address.url();
    }

    /** As the command line has it. */
    @Override
    public String toString() {
        return title;
    }

    private static Starter withoutSelectors(SimpleStarter starter) {
        return (resources, address, selectors, answers) -> {
            if (selectors != 0) {
                throw new IllegalArgumentException(
                        "--selectors=" + selectors + ": only one-nio and Netty have selectors");
            }
            starter.start(resources, address, answers);
        };
    }
}
