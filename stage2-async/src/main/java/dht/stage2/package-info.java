/**
 * The server of stage 2: {@link dht.stage2.Main} reads its command line, {@link
 * dht.stage2.Stage2Server} puts it together.
 */
package dht.stage2;
