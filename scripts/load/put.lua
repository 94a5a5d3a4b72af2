-- Writes keys of the thread's own. See docs/reference/load.md.
local directory = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(directory .. "workload.lua").run("put")
