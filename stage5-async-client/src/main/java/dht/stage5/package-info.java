/**
 * The server of stage 5: {@link dht.stage5.Main} is its command line, {@link
 * dht.stage5.Stage5Server} connects its parts.
 */
package dht.stage5;
