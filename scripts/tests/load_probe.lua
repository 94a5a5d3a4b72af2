-- Prints requests that a script makes, without wrk2: lua load_probe.lua SCRIPT THREADS REQUESTS. A line for each:
-- thread, method and target, body.
local script, threads, requests = arg[1], tonumber(arg[2]), tonumber(arg[3])

wrk = { headers = { Host = "127.0.0.1:8080" } }

function wrk.format(method, path, _, body)
    local length = body and ("Content-Length: " .. #body .. "\r\n") or ""
    return method .. " " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n" .. length .. "\r\n" .. (body or "")
end

local indexes = {}
dofile(script)
for i = 1, threads do
    setup({
        set = function(_, name, value)
            assert(name == "thread_index")
            indexes[i] = value
        end,
    })
end

for i = 1, threads do
    request = nil
    dofile(script)
    thread_index = indexes[i]
    init({})
    for _ = 1, requests do
        local line, body = request():match("^(.-) HTTP/1.1\r\n.-\r\n\r\n(.*)$")
        print(table.concat({ thread_index, line, body }, "\t"))
    end
end
