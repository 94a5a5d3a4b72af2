"""What the site's pages take from the project while they are built, so that none of it is typed into prose.

extension   the Markdown extension: `{{ … }}` in a page, and what takes its place
sources     methods and named regions of the Java sources, packages and what they say of themselves
report      the measured data of a stage, as docs/reports holds it
figures     charts, tables and flame graphs of that data
comparison  what several servers took under the same load
laws        the laws of queues and of scale, beside what was measured
waiting     where requests wait, in runs that record them
placement   how evenly keys are shared among nodes
numbers     how figures are written

docs/reference/site.md tells what a page may ask for.
"""
