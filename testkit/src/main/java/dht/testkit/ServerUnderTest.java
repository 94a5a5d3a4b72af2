package dht.testkit;

import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Connection;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.node.Node;
import dht.testkit.node.NodeHome;
import dht.testkit.node.NodeSpec;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A server as one test sees it: send requests to it, start it, stop it. Each action and each
 * exchange is recorded in the transcript of the test.
 *
 * <p>Threads may share it; only one thread at a time may start and stop the server.
 */
public final class ServerUnderTest implements AutoCloseable {
    private static final int CONNECT_MILLIS_MAX = 1000;

    private final NodeHome home;
    private final Transcript transcript;
    private final Duration patience;

    /**
     * The connections are used in turn. Otherwise an idle one could be closed by the server while
     * others work.
     */
    private final Queue<Connection> idle = new ConcurrentLinkedQueue<>();

    private final Set<Connection> opened = ConcurrentHashMap.newKeySet();

    /**
     * A view of a node.
     *
     * @param transcript where actions and exchanges are recorded
     * @param patience how long an answer may take
     */
    public ServerUnderTest(NodeHome home, Transcript transcript, Duration patience) {
        this.home = home;
        this.transcript = transcript;
        this.patience = patience;
    }

    /** Reads a key, as {@link #ask} does. */
    public Response get(String key) {
        return ask(Request.get(Target.entity(key)));
    }

    /** Writes a value, as {@link #ask} does. */
    public Response put(String key, byte[] value) {
        return ask(Request.put(Target.entity(key), value));
    }

    /** Deletes a key, as {@link #ask} does. */
    public Response delete(String key) {
        return ask(Request.delete(Target.entity(key)));
    }

    /** Asks for the status, as {@link #ask} does. */
    public Response status() {
        return ask(Request.get(Target.STATUS));
    }

    /** Reads the entries from {@code start} (inclusive) to {@code end} (exclusive). */
    public Response range(String start, String end) {
        return ask(Request.get(Target.entities(start, end)));
    }

    /** Sends a request on a connection that is kept alive between requests, as HTTP clients do. */
    public Response ask(Request request) {
        for (var connection = idle.poll(); connection != null; connection = idle.poll()) {
            connection.expectNothingUnread();
            try {
                return askOn(connection, request);
            } catch (NoAnswer gone) {
                if (!gone.closedBeforeFirstByte()) {
                    throw gone;
                }
                // A server may close a connection between requests; clients then take another one.
            }
        }
        return askOn(connect(), request);
    }

    /**
     * Sends a request exactly once, for tests that count the requests of a server. If the server
     * closes the connection without an answer, the request is not repeated.
     */
    public Response askOnce(Request request) {
        var connection = idle.poll();
        return askOn(connection == null ? connect() : connection, request);
    }

    private Response askOn(Connection connection, Request request) {
        var response = connection.send(request).receive();
        if (response.announcesClose()) {
            connection.close();
        } else {
            idle.add(connection);
        }
        return response;
    }

    /** Sends a request exactly once, to another port of the same server. */
    public Response askAt(int port, Request request) {
        var spec = home.node().spec();
        var url = URI.create("http://" + NodeSpec.HOST + ":" + port);
        try (var connection =
                Connection.open(
                        url, spec.name(), Connection.DEFAULT_BUFFER, patience, transcript)) {
            return connection.send(request).receive();
        }
    }

    /**
     * A new connection for the test alone. If it is still open when the test ends, it is closed.
     */
    public Connection connect() {
        return connect(Connection.DEFAULT_BUFFER);
    }

    /**
     * A new connection with a small receive buffer: an answer that is not read soon blocks the
     * server.
     */
    public Connection connectSmall() {
        return connect(Connection.SMALL_BUFFER_BYTES);
    }

    private Connection connect(int receiveBufferBytes) {
        var spec = home.node().spec();
        var connection =
                Connection.open(spec.self(), spec.name(), receiveBufferBytes, patience, transcript);
        opened.add(connection);
        return connection;
    }

    /** How long an answer may take. */
    public Duration patience() {
        return patience;
    }

    /** How long several clients together may take. */
    public Duration longPatience() {
        return patience.multipliedBy(6);
    }

    /** The node itself, for actions that need no line in the transcript. */
    public Node node() {
        return home.node();
    }

    /** A second node with the same data directory. It is not started. */
    public Node rival() {
        return home.rival();
    }

    /** Starts the server, and returns when it accepts requests. */
    public void start() {
        transcript.note(name() + " is started");
        home.node().start();
    }

    /** Asks the server to stop in order, and returns at once. */
    public void requestStop() {
        transcript.note(name() + " is asked to stop");
        home.node().requestStop();
    }

    /** Waits until the server accepts no connections. A stopping server does this first. */
    public void awaitNoAccepting() {
        var deadline = Deadline.in(patience);
        deadline.await(name() + " to accept no connections once it stops", () -> !isAccepting());
    }

    /** Checks that the server accepts no connections now. */
    public void expectNoAccepting() {
        if (isAccepting()) {
            throw new Mismatch(name() + " to accept no connections", "it accepted one");
        }
    }

    /** A server whose backlog is full does not refuse the connection: it has not stopped. */
    private boolean isAccepting() {
        var base = home.node().spec().self();
        var address = new InetSocketAddress(base.getHost(), base.getPort());
        try (var socket = new Socket()) {
            socket.connect(address, CONNECT_MILLIS_MAX);
            return true;
        } catch (SocketTimeoutException _) {
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Waits until the server has stopped, after {@link #requestStop}. */
    public void awaitStop() {
        home.node().awaitStop();
        transcript.note(name() + " has stopped");
        forgetConnections();
    }

    /** Stops the server in order, and waits for its end. */
    public void stop() {
        requestStop();
        awaitStop();
    }

    /** Ends the server at once, as by kill -9. */
    public void kill() {
        transcript.note(name() + " is killed");
        home.node().kill();
        forgetConnections();
    }

    /** Pauses the server. */
    public void pause() {
        transcript.note(name() + " is paused");
        home.node().pause();
    }

    /** Lets the server continue after {@link #pause}. */
    public void resume() {
        transcript.note(name() + " continues");
        home.node().resume();
    }

    /** Cuts the network between the server and all other nodes. Clients still reach the server. */
    public void cutOff() {
        transcript.note(name() + " is cut off from the other nodes");
        home.node().cutOff();
    }

    /** Slows down the messages between this server and other nodes. */
    public void slowDown() {
        transcript.note(name() + "'s network to the other nodes is slow");
        home.node().slowDown();
    }

    /** Makes its network normal again. */
    public void reconnect() {
        transcript.note(name() + "'s network to the other nodes is normal again");
        home.node().reconnect();
    }

    /** Fills its disk completely. The server must belong to a cluster on small disks. */
    public void fillDisk() {
        transcript.note(name() + "'s disk is full");
        home.fillDisk();
    }

    /** Frees space on its disk again. */
    public void freeDisk() {
        transcript.note(name() + "'s disk has room again");
        home.freeDisk();
    }

    /** Stops the server in order, and starts it again. */
    public void restart() {
        stop();
        start();
    }

    /** Deletes what the server has stored. The server must be stopped. */
    public void emptyDataDirectory() {
        transcript.note(name() + "'s data directory is emptied");
        home.emptyDataDirectory();
    }

    private void forgetConnections() {
        idle.clear();
    }

    /** The name of the server in transcripts. */
    public String name() {
        return home.node().spec().name();
    }

    /** Closes the connections of this test. The server continues to run. */
    @Override
    public void close() {
        opened.forEach(Connection::close);
    }
}
