"""What `./workbook` runs. In reading order:

cli           which commands there are, and what happens around each
commands/     one module a command: doctor, test, run, load, … site
arguments     the parser that the commands share
failure       the error that is the user's to act on
interrupts    Ctrl-C and its kin as an exception that can be put off
processes     programs that a command starts and that never outlive it
locks         locks between two ./workbook
host          the machine as the commands see it: a test hands in another
project       the checkout: its modules and stages
jdk, maven    the two tools that everything is built with
build         which jars are stale, and the making of them
servers       a stage's servers as processes
closed_loop   a short load for servers that have just started
aot_cache     what JVMs learn in a training run, for the servers of run
git           what git knows of the checkout
packages      installs what only some commands need
laws/         laws of queues and of scale, and how well they fit
measure/      what load, profile, saturate, compare and lab are made of
java_tests    runs the modules' tests
python_tests  runs the scripts' own tests
reports       reads what both leave behind
mutants       what PIT made of the code, and what its tests made of that
summary         counts it, and writes the end of the output
screen        what is seen while tests run
findings      what the machine has and lacks
fixes         how to install what it lacks
pages/        what the site takes from the project while it is built
wrk2          finds the load generator
console       styled output on a terminal, plain lines elsewhere
messages      words on standard error

A new command is a module of `commands` with `configure` and `run`, and a line in `cli.COMMANDS`.
"""
