/** Sends a short value with the head of its request: {@link dht.peer.inline.InlineValues}. */
package dht.peer.inline;
