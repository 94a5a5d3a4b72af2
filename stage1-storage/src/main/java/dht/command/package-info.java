/**
 * What the command lines of all stages share: {@link dht.command.StageCommand} parses and reports,
 * {@link dht.command.ListenFlags} and {@link dht.command.StorageFlags} are the options, {@link
 * dht.command.ConfigFile} takes them from a file, {@link dht.command.ServerProcess} runs until it
 * is asked to end, {@link dht.command.InspectCommand} looks into a data directory.
 */
package dht.command;
