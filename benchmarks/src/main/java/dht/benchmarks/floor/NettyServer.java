package dht.benchmarks.floor;

import dht.command.ResourceStack;
import dht.http.ListenAddress;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Netty 4.2's server. The event loops also accept connections; each belongs to one of them, which
 * answers on the spot. Answers to requests that were read at once are written at once. One for all
 * connections: thread-safe.
 *
 * <p>Its buffers use Unsafe if the JVM has {@code --sun-misc-unsafe-memory-access=allow}, as {@code
 * ./workbook} starts it. Without, Netty on Java 25 uses other code, and says nothing.
 */
@Sharable
final class NettyServer extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final int STOP_WITHIN_S = 5;

    private final Answers answers;

    private NettyServer(Answers answers) {
        this.answers = answers;
    }

    /**
     * Starts one.
     *
     * @param selectors threads of the event loops; 0 for one per processor
     */
    static void start(
            ResourceStack resources,
            ListenAddress address,
            int selectors,
            Answers answers,
            IoHandlerFactory transport,
            Class<? extends ServerSocketChannel> channel)
            throws IOException {
        int threads = selectors == 0 ? Runtime.getRuntime().availableProcessors() : selectors;
        EventLoopGroup loops =
                resources.open(
                        () -> new MultiThreadIoEventLoopGroup(threads, transport),
                        NettyServer::stop);
        ServerBootstrap server =
                new ServerBootstrap()
                        .group(loops)
                        .channel(channel)
                        .option(ChannelOption.SO_BACKLOG, HttpLibrary.BACKLOG)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(new Pipeline(new NettyServer(answers)));
        // Closed before its loops end: io_uring would otherwise keep the port until the process
        // ends.
        resources.open(
                () -> server.bind(address.host(), address.port()).syncUninterruptibly().channel(),
                listening -> listening.close().syncUninterruptibly());
    }

    /** All connections end with their event loops. */
    private static void stop(EventLoopGroup loops) {
        loops.shutdownGracefully(0, STOP_WITHIN_S, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** What the bytes of a connection pass on their way to the server, and back. */
    private static final class Pipeline extends ChannelInitializer<SocketChannel> {
        private final NettyServer server;

        Pipeline(NettyServer server) {
            this.server = server;
        }

        @Override
        protected void initChannel(SocketChannel connection) {
            connection
                    .pipeline()
                    .addLast(new HttpServerCodec())
                    .addLast(new HttpServerKeepAliveHandler())
                    .addLast(new HttpObjectAggregator(HttpLibrary.BODY_BYTES_MAX))
                    .addLast(server);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext connection, FullHttpRequest request) {
        String path = new QueryStringDecoder(request.uri()).path();
        Answers.Answer answer = answers.to(request.method().name(), path);
        FullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.valueOf(answer.status()),
                        Unpooled.wrappedBuffer(answer.body()));
        HttpUtil.setContentLength(response, answer.body().length);
        connection.write(response, connection.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext connection) {
        connection.flush();
    }

    /** A connection that broke. */
    @Override
    public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) {
        connection.close();
    }
}
