"""Laws that say what a measurement should be like. Pure functions of figures: nothing here knows servers.

usl      the Universal Scalability Law, fitted to the rates of a sweep
little   Little's law, checked against one measurement
queues   how long requests wait in the simplest queues
words    what a fitted law says, in sentences

`usl` needs SciPy, which `workbook.packages` installs. docs/lab/queues-and-laws.md explains all three.
"""
