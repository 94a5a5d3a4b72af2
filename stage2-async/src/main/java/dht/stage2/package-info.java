/**
 * The server of stage 2: {@link dht.stage2.Main} is its command line, {@link
 * dht.stage2.Stage2Server} connects its parts.
 */
package dht.stage2;
