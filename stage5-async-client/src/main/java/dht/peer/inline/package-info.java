/**
 * Sends a short value in the request line instead of the body: {@link
 * dht.peer.inline.InlineValues}.
 */
package dht.peer.inline;
