/**
 * The server of stage 1: {@link dht.stage1.Main} is its command line, {@link
 * dht.stage1.Stage1Server} connects its parts.
 */
package dht.stage1;
