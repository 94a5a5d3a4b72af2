"""Measuring a server: what the commands load, profile, saturate, compare and lab share. In reading order:

load_report   reads what wrk2, the built-in generator and wrk print
tables        reads figures that were quoted as tables
workload      what is asked of the server, and how fast
load_tool     wrk2 or the built-in generator as a command line
merging       what several load tools say, made one report
load_source   where a load comes from
targets       what is measured: a stage, the floor, a revision, a command line
server        a target's server as a process
measurable    what a run needs to know of a server, wherever it runs
filled        what a server has stored that was filled
usage         processor time and size on disk
gc_log        the JVM's log of its collections
speed         whether the processors keep theirs
machine       where it was measured, and at which commit
run_folder    the folder of a run, and its run.json
healing       copies that a cluster still owes its replicas
measuring     fill, warm up, measure against one server
profiler      one recording within a run
request_recording   flight recordings of each node, of requests unless said otherwise
allocation    what a request allocates
graphs        flame graphs, heatmap and stacks from a recording
stacks        collapsed stacks: thread groups, packages, assertions
ladder        which rate the server sustains
verdicts      medians, noise bands and verdicts
bench         what all of this needs from the machine, made once a command
facts         what run.json says of a run before it has begun
serving       a filled and warm server for a run
runs          the three kinds of runs: load, profile, ladder
sweeping      one parameter varied
sides         what the words of `compare` stand for
options       the options that the commands share
results       what a command prints of its runs
report        the index of a lab's runs
page, chart, nodes_part   the lab's page
promotion     a report's small files for the site

The package `remote` reaches nodes that run elsewhere.

The files that they leave are described in docs/reference/run-folder.md.
"""
