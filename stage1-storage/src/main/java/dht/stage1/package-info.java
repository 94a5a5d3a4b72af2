/**
 * The server of stage 1: {@link dht.stage1.Main} reads its command line, {@link
 * dht.stage1.Stage1Server} puts it together.
 */
package dht.stage1;
