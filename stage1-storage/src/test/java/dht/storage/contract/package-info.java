/**
 * What every {@link dht.storage.Dao} promises, whatever it is made of and however it is configured:
 * {@link dht.storage.contract.DaoContract}. A new implementation adds a factory, not tests.
 */
package dht.storage.contract;
