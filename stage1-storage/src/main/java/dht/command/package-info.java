/**
 * The command line of all stages. {@link dht.command.StageCommand} runs a command and reports
 * errors. {@link dht.command.ListenFlags}, {@link dht.command.StorageFlags} and {@link
 * dht.command.CommonFlags} are the options, and {@link dht.command.ConfigFile} reads them from a
 * file. {@link dht.command.ServerProcess} runs a {@link dht.command.RunningServer} until a signal
 * ends it. {@link dht.command.ResourceStack} closes what the server has opened. {@link
 * dht.command.InspectCommand} describes a data directory. {@link dht.command.StatusProbe} is the
 * health check of a container.
 */
package dht.command;
