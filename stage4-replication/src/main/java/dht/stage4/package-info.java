/**
 * The server of stage 4: {@link dht.stage4.Main} is its command line, {@link
 * dht.stage4.Stage4Server} connects its parts.
 */
package dht.stage4;
