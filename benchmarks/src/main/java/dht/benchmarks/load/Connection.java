package dht.benchmarks.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * A connection with at most one request in flight. Confined to its event loop's thread.
 *
 * <p>When it breaks it is closed and its owner is told; {@link #open} opens it again.
 */
final class Connection {
    /** What a connection broke at. */
    enum Fault {
        CONNECT,
        READ,
        WRITE,
        /** The server closed it while nothing was in flight, as it may. */
        IDLE
    }

    /** Whoever sends the requests. Called by the event loop. */
    interface Owner {
        void connected();

        /** The answer is complete, and another request may be sent, if the connection is open. */
        void answered(int status);

        void broken(Fault fault);

        void received(int bytes);
    }

    private final EventLoop loop;
    private final InetSocketAddress address;
    private final Owner owner;
    private final ResponseParser parser = new ResponseParser();
    private SocketChannel channel;
    private SelectionKey key;
    private RequestBuffers outgoing;
    private boolean inFlight;
    private boolean writing;

    Connection(EventLoop loop, InetSocketAddress address, Owner owner) {
        this.loop = loop;
        this.address = address;
        this.owner = owner;
    }

    void open() {
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            boolean connected = channel.connect(address);
            key =
                    channel.register(
                            loop.selector(),
                            connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT,
                            this);
            if (connected) {
                owner.connected();
            }
        } catch (IOException e) {
            fail(Fault.CONNECT);
        }
    }

    boolean isOpen() {
        return channel != null;
    }

    boolean isInFlight() {
        return inFlight;
    }

    /** Sends a request, whose buffers stay as they are until it is answered. */
    void send(RequestBuffers request) {
        outgoing = request;
        inFlight = true;
        parser.reset();
        write();
    }

    /** Called by the event loop. */
    void ready(SelectionKey ready) {
        if (ready.isReadable()) {
            read();
        } else if (ready.isWritable()) {
            key.interestOps(SelectionKey.OP_READ);
            write();
        } else if (ready.isConnectable()) {
            finishConnect();
        }
    }

    private void finishConnect() {
        try {
            channel.finishConnect();
            key.interestOps(SelectionKey.OP_READ);
        } catch (IOException e) {
            fail(Fault.CONNECT);
            return;
        }
        owner.connected();
    }

    private void write() {
        try {
            writing = !outgoing.writeTo(channel);
            if (writing) {
                key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
        } catch (IOException e) {
            fail(Fault.WRITE);
        }
    }

    private void read() {
        ByteBuffer incoming = loop.incoming().clear();
        int count;
        try {
            count = channel.read(incoming);
            if (count > 0) {
                take(incoming, count);
            }
        } catch (IOException e) {
            fail(Fault.READ);
            return;
        }
        if (count < 0) {
            parser.feedEnd();
        }
        if (inFlight && parser.isDone()) {
            finish();
        } else if (count < 0) {
            fail(inFlight ? Fault.READ : Fault.IDLE);
        }
    }

    private void take(ByteBuffer incoming, int count) throws IOException {
        owner.received(count);
        byte[] received = loop.received();
        incoming.get(0, received, 0, count);
        int end = inFlight ? parser.feed(received, 0, count) : 0;
        if (end < count) {
            throw new IOException("more than was asked for");
        }
    }

    private void finish() {
        inFlight = false;
        if (!parser.isKeepAlive() || writing) {
            close();
        }
        owner.answered(parser.status());
    }

    private void fail(Fault fault) {
        close();
        owner.broken(fault);
    }

    /** Closes, and tells nobody. */
    void close() {
        inFlight = false;
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException _) {
                // It is of no more use either way.
            }
            channel = null;
        }
    }
}
