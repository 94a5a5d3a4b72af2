/**
 * The server of stage 3: {@link dht.stage3.Main} is its command line, {@link
 * dht.stage3.Stage3Server} connects its parts.
 */
package dht.stage3;
