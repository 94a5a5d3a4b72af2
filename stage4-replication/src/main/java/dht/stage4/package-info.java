/**
 * The server of stage 4: {@link dht.stage4.Main} reads its command line, {@link
 * dht.stage4.Stage4Server} puts it together.
 */
package dht.stage4;
