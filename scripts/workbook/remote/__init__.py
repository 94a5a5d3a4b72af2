"""Nodes that run elsewhere, measured where they are, through a command that runs others there. In reading order:

place         where a command is run, and what a script says there
session       a shell in a place that stays open
target_file   which nodes and load machines there are, as a TOML file lists them
process       which process on a node is the server
machine       what is said of a node and of its machine
clock         by how much a node's clock is ahead of this one
watch         notices when a node no longer answers
cluster       the nodes during a run: what they have used, and what is left of it on them
recorder      a recording on each node
network       what the network gives, from here and between the nodes: round trips and throughput
load_hosts    the load machines: their tools begin together, and none is left there

docs/targets.md describes it, and what it needs on each machine.
"""
