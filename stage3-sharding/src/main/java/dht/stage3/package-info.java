/**
 * The server of stage 3: {@link dht.stage3.Main} reads its command line, {@link
 * dht.stage3.Stage3Server} puts it together.
 */
package dht.stage3;
