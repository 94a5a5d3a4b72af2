/**
 * HTTP over one-nio. A connection is a {@link dht.http.HttpSession} of the {@link
 * dht.http.HttpServer}. A {@link dht.http.RequestParser} parses requests, with {@link
 * dht.http.HeadParser} and {@link dht.http.ChunkDecoder}; a body is {@link dht.http.OwnedBytes}.
 * The {@link dht.http.Router} passes each request to a handler. For an entity, the handler calls
 * the {@link dht.http.EntityService}, on a thread that the {@link dht.http.RequestExecutor}
 * chooses. The answer goes through the request's {@link dht.http.Responder}: it is a {@link
 * dht.http.Response}, a {@link dht.http.ValueResponse} or a {@link dht.http.RangeStream}.
 */
package dht.http;
