/**
 * HTTP over one-nio. A connection is a {@link dht.http.HttpSession} of the {@link
 * dht.http.HttpServer}; a {@link dht.http.RequestParser}, with {@link dht.http.HeadParser} and
 * {@link dht.http.ChunkDecoder}, makes requests of bytes, whose body is {@link
 * dht.http.OwnedBytes}; the {@link dht.http.Router} hands each to a handler, which has the {@link
 * dht.http.EntityService} answer it where the {@link dht.http.RequestExecutor} says. Answers come
 * back through the request's {@link dht.http.Responder}: a {@link dht.http.Response}, a {@link
 * dht.http.ValueResponse} or a {@link dht.http.RangeStream}.
 */
package dht.http;
