/**
 * The server of stage 5: {@link dht.stage5.Main} reads its command line, {@link
 * dht.stage5.Stage5Server} puts it together.
 */
package dht.stage5;
