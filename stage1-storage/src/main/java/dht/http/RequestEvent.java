package dht.http;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * One request in a flight recording. It starts when the request has been read, and ends when the
 * whole answer has been passed to the operating system. Times are in nanoseconds since its start;
 * {@link #NEVER} if the request has not passed that point.
 *
 * <p>Only a recording that asks for this event by its name gets it.
 */
@Name(RequestEvent.NAME)
@Label("Request")
@Description("When a request passed the points on its way through the server")
@Category({"Workbook"})
@StackTrace(false)
@Enabled(false)
final class RequestEvent extends Event {
    static final String NAME = "dht.Request";

    static final long NEVER = -1;

    @Label("Stage")
    String stage;

    @Label("Node")
    @Description("The URL on which it listens")
    String node;

    @Label("Numbers")
    @Description("The number of the request; on an internal path those that it is about")
    String numbers;

    @Label("Kind")
    @Description("Method and path")
    String kind;

    @Label("Status")
    int status;

    @Label("Queued")
    long queued = NEVER;

    @Label("Begun")
    @Description("A thread has begun to serve it")
    long begun = NEVER;

    @Label("Stored")
    @Description("The node's own storage is done with it")
    long stored = NEVER;

    @Label("Answered")
    @Description("The answer was passed to the connection")
    long answered = NEVER;

    @Label("Calls")
    @Description("Of each request to another node: its URL, when it was made, when it ended, how")
    String calls;

    @Label("Threads")
    @Description("Which thread worked for it, from when, until when")
    String threads;
}
