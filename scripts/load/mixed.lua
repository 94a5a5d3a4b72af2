-- Reads and writes single keys. See docs/reference/load.md.
local directory = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(directory .. "workload.lua").run("mixed")
