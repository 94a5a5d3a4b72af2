/**
 * What the command lines of all stages share: {@link dht.command.StageCommand} parses and reports,
 * {@link dht.command.ListenFlags}, {@link dht.command.StorageFlags} and {@link
 * dht.command.CommonFlags} are the options, {@link dht.command.ConfigFile} takes them from a file,
 * {@link dht.command.ServerProcess} keeps a {@link dht.command.RunningServer} until it is asked to
 * end, {@link dht.command.ResourceStack} closes what the server has opened, {@link
 * dht.command.InspectCommand} looks into a data directory, {@link dht.command.StatusProbe} is a
 * container's health check.
 */
package dht.command;
