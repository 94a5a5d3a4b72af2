-- The workloads, for wrk2: what the scripts beside this file share. The built-in generator (dht.benchmarks.load) does
-- the same; docs/reference/load.md describes both, and what the environment says to them.
--
-- wrk2 loads a script once for itself, where setup and done run, and once for each thread, where init, request and
-- response run. They share nothing but what setup hands in and done asks for.

local KEYS_MAX = 90000000 -- Scattering multiplies two numbers of keys, which a double must hold.
local VALUE_BYTES_MAX = 16777216
local SEED_MAX = 2147483647

local VALUES_MAX = 16
local VALUES_BYTES_MAX = 4194304
local RANDOM_BYTES_MAX = 1024 -- A longer value repeats itself.
local VALUE_STREAMS_FROM = 1048576 -- So that the keys don't depend on the length of the values.

local ZIPFIAN_EXPONENT = 0.99
local GOLDEN_SECTION = 0.618

local RECORDED_APART = 1.005 -- Nearer latencies are recorded as the greatest of them.

local floor = math.floor
local format = string.format

local workload = {}

local function fail(message)
    io.stderr:write("workload: ", message, "\n")
    os.exit(2)
end

local function number(name, by_default, min, max)
    local text = os.getenv(name)
    if not text then
        return by_default
    end
    local value = text:match("^%d+$") and tonumber(text)
    if not value or value < min or value > max then
        fail(format("%s=%s is not a number from %d to %d", name, text, min, max))
    end
    return value
end

local function share(name, by_default)
    local text = os.getenv(name)
    if not text then
        return by_default
    end
    local value = (text:match("^%d+$") or text:match("^%d+%.%d+$")) and tonumber(text)
    if not value or value > 1 then
        fail(format("%s=%s is not a share from 0 to 1", name, text))
    end
    return value
end

-- How many replicas must answer of how many, "2/3"; empty where the server decides.
local function replicas()
    local text = os.getenv("REPLICAS") or ""
    if text ~= "" and not text:match("^[1-9]%d?/[1-9]%d?$") then
        fail(format("REPLICAS=%s is not ACK/FROM, such as 2/3", text))
    end
    return text
end

-- Of the threads of all tools that load together: the number of this tool's first one, from 0, and how many they are.
local function part_of_all(threads)
    local text = os.getenv("PART") or "1/1"
    local number, count = text:match("^([1-9]%d?)/([1-9]%d?)$")
    if not number or tonumber(number) > tonumber(count) then
        fail(format("PART=%s is not NUMBER/COUNT, such as 2/3", text))
    end
    return (tonumber(number) - 1) * threads, tonumber(count) * threads
end

-- What -t says. wrk2 doesn't tell its scripts, but on Linux a process can read its own command line.
function workload.threads_of(command_line)
    local words = {}
    for word in command_line:gmatch("[^%z]+") do
        words[#words + 1] = word
    end
    local threads = "2"
    for i = 2, #words do
        local word = words[i]
        if word == "-t" or word == "--threads" then
            threads = words[i + 1]
        else
            threads = word:match("^%-[LUBrv]*t(%d+)$") or word:match("^%-%-threads=(%d+)$") or threads
        end
    end
    return tonumber(threads)
end

local function thread_count()
    if os.getenv("THREADS") then
        return number("THREADS", nil, 1, 100000)
    end
    local file = io.open("/proc/self/cmdline", "rb")
    if not file then
        fail("set THREADS to the number of threads (-t): this system has no /proc")
    end
    local command_line = file:read("*a")
    file:close()
    return workload.threads_of(command_line) or fail("cannot tell the number of threads: set THREADS")
end

-- The numbers of the keys that KEY_NUMBERS lists, one a line; nil if it isn't set: then there are all below KEYS.
local function listed_numbers(threads)
    local name = os.getenv("KEY_NUMBERS")
    if not name then
        return nil
    end
    local file = io.open(name, "r")
    if not file then
        fail(format("KEY_NUMBERS=%s cannot be read", name))
    end
    local numbers = {}
    for line in file:lines() do
        local found = line:match("^%d+$") and tonumber(line)
        if not found or found >= KEYS_MAX then
            fail(format("KEY_NUMBERS=%s: line %d is not a number below %d", name, #numbers + 1, KEYS_MAX))
        end
        numbers[#numbers + 1] = found
    end
    file:close()
    if #numbers < threads then
        fail(format("KEY_NUMBERS=%s lists %d keys for %d threads", name, #numbers, threads))
    end
    return numbers
end

-- The servers that SPREAD lists, one for each thread in turn; nil if it isn't set: then all threads ask the same one.
local function servers(threads)
    local text = os.getenv("SPREAD")
    if not text then
        return nil
    end
    local found = {}
    for url in (text .. ","):gmatch("([^,]*),") do
        local host, port = url:match("^http://([^/:]+):?(%d*)/?$")
        if not host then
            fail(format("URL '%s' of SPREAD is not such as http://127.0.0.1:8080", url))
        end
        found[#found + 1] = { host = host, port = port == "" and "80" or port }
    end
    if threads % #found ~= 0 then
        fail(format("threads=%d must be a multiple of the %d servers in SPREAD", threads, #found))
    end
    return found
end

function workload.settings()
    local threads = thread_count()
    local first_thread, all_threads = part_of_all(threads)
    local numbers = listed_numbers(all_threads)
    local keys = numbers and #numbers or number("KEYS", 100000, all_threads, KEYS_MAX)
    local distribution = os.getenv("DISTRIBUTION") or "uniform"
    if distribution ~= "uniform" and distribution ~= "zipfian" and distribution ~= "latest" then
        fail(format("DISTRIBUTION=%s is none of [uniform, zipfian, latest]", distribution))
    end
    return {
        threads = threads,
        first_thread = first_thread,
        all_threads = all_threads,
        keys = keys,
        numbers = numbers,
        value_bytes = number("VALUE_BYTES", 128, 0, VALUE_BYTES_MAX),
        distribution = distribution,
        seed = number("SEED", 42, 0, SEED_MAX),
        read_share = share("READ_SHARE", 0.5),
        range_length = number("RANGE_LENGTH", math.min(100, keys), 1, keys),
        miss_share = share("MISSES", 0),
        replicas = replicas(),
        servers = servers(threads),
    }
end

-- Numbers between 0 and 1, both excluded. P. L'Ecuyer, Efficient and portable combined random number generators,
-- Communications of the ACM 31 (6), 1988.
function workload.random(seed, stream)
    local state1 = 1 + (seed + stream * 7919) % 2147483562
    local state2 = 1 + (seed + (stream + 1) * 7919) % 2147483398
    local function next_random()
        state1 = 40014 * state1 % 2147483563
        state2 = 40692 * state2 % 2147483399
        local difference = state1 - state2
        if difference < 1 then
            difference = difference + 2147483562
        end
        return difference / 2147483563
    end
    for _ = 1, 16 do -- Similar seeds begin with similar numbers.
        next_random()
    end
    return next_random
end

-- Ranks from 0 to count - 1, rank r with a probability proportional to 1 / (r + 1)^exponent. W. Hörmann and
-- G. Derflinger, Rejection-inversion to generate variates from monotone discrete distributions, ACM Transactions on
-- Modeling and Computer Simulation 6 (3), 1996.
function workload.zipfian(count, exponent, random)
    local function density(x)
        return x ^ -exponent
    end
    local function integral(x)
        return x ^ (1 - exponent) / (1 - exponent)
    end
    local function inverse(y)
        return ((1 - exponent) * y) ^ (1 / (1 - exponent))
    end
    local integral_of_first = integral(1.5) - 1
    local integral_of_last = integral(count + 0.5)
    local squeeze = 2 - inverse(integral(2.5) - density(2))
    return function()
        while true do
            local u = integral_of_last + random() * (integral_of_first - integral_of_last)
            local x = inverse(u)
            local k = math.min(math.max(floor(x + 0.5), 1), count)
            if k - x <= squeeze or u >= integral(k + 0.5) - density(k) then
                return k - 1
            end
        end
    end
end

local function greatest_common_divisor(a, b)
    while b ~= 0 do
        a, b = b, a % b
    end
    return a
end

-- Multiplying by it, modulo count, moves neighbours apart and meets each place once.
local function scatter_step(count)
    local step = math.max(1, floor(GOLDEN_SECTION * count))
    while greatest_common_divisor(step, count) ~= 1 do
        step = step + 1
    end
    return step
end

-- Places from 0 to count - 1.
function workload.chooser(distribution, count, random)
    if distribution == "uniform" then
        return function()
            return floor(random() * count)
        end
    end
    local rank = workload.zipfian(count, ZIPFIAN_EXPONENT, random)
    if distribution == "latest" then
        return function()
            return count - 1 - rank()
        end
    end
    local step = scatter_step(count)
    return function()
        return rank() * step % count
    end
end

-- Of all keys in order, thread k of N owns the k-th, (k + N)-th, (k + 2N)-th, ...: how many, and which number is at a
-- place.
function workload.key_space(settings, thread)
    local keys, numbers, threads = settings.keys, settings.numbers, settings.all_threads
    local size = floor((keys - thread + threads - 1) / threads)
    return size, function(place)
        local index = thread + place * threads
        return numbers and numbers[index + 1] or index
    end
end

function workload.key(key_number)
    return format("key%09d", key_number)
end

local function value(bytes, random)
    local letters = {}
    for i = 1, math.min(bytes, RANDOM_BYTES_MAX) do
        letters[i] = string.char(97 + floor(random() * 26))
    end
    local block = table.concat(letters)
    if #block == bytes then
        return block
    end
    return block:rep(math.ceil(bytes / #block)):sub(1, bytes)
end

function workload.values(bytes, random)
    local count = math.max(1, math.min(VALUES_MAX, floor(VALUES_BYTES_MAX / math.max(1, bytes))))
    local values = {}
    for i = 1, count do
        values[i] = value(bytes, random)
    end
    return values
end

-- The text of a request before and after its key; `parameters` follow it in the target.
local function around_key(method, path, parameters, body_length)
    local text = wrk.format(method, path .. "KEY" .. parameters, nil, body_length and ("x"):rep(body_length))
    local head, tail = text:match("^(.-)KEY(.*)$")
    return head, body_length and tail:sub(1, #tail - body_length) or tail
end

-- Requests of thread `thread`, from 0; `count` is called with "gets" or "misses" for each such request.
function workload.requests(name, settings, thread, count)
    local random = workload.random(settings.seed, thread)
    local size, number_of = workload.key_space(settings, thread)
    local choose = workload.chooser(settings.distribution, size, random)

    local values = workload.values(settings.value_bytes, workload.random(settings.seed, VALUE_STREAMS_FROM + thread))
    local parameters = settings.replicas == "" and "" or "&replicas=" .. settings.replicas
    local put_head, put_tail = around_key("PUT", "/v0/entity?id=", parameters, settings.value_bytes)
    local put_tails = {}
    for i = 1, #values do
        put_tails[i] = put_tail .. values[i]
    end
    local turn = 0
    local function put()
        turn = turn % #put_tails + 1
        return put_head .. format("key%09d", number_of(choose())) .. put_tails[turn]
    end

    local get_head, get_tail = around_key("GET", "/v0/entity?id=", parameters)
    local function get()
        local key_number = number_of(choose())
        count("gets")
        if settings.miss_share > 0 and random() < settings.miss_share then
            count("misses")
            return get_head .. format("key%09dx", key_number) .. get_tail
        end
        return get_head .. format("key%09d", key_number) .. get_tail
    end

    local function mixed()
        if random() < settings.read_share then
            return get()
        end
        return put()
    end

    local range_head, range_tail = around_key("GET", "/v0/entities?start=", "")
    local function range()
        local start = number_of(choose())
        if not settings.numbers then
            start = math.min(start, settings.keys - settings.range_length)
        end
        return range_head .. format("key%09d&end=key%09d", start, start + settings.range_length) .. range_tail
    end

    return ({ put = put, get = get, mixed = mixed, range = range })[name]
end

function workload.describe(name, settings)
    return format(
        "Workload: %s KEYS=%d VALUE_BYTES=%d DISTRIBUTION=%s SEED=%d READ_SHARE=%g RANGE_LENGTH=%d MISSES=%g%s",
        name,
        settings.keys,
        settings.value_bytes,
        settings.distribution,
        settings.seed,
        settings.read_share,
        settings.range_length,
        settings.miss_share,
        settings.replicas == "" and "" or " REPLICAS=" .. settings.replicas
    )
end

local function sum(threads, name)
    local total = 0
    for _, thread in ipairs(threads) do
        total = total + (thread:get(name) or 0)
    end
    return total
end

local function print_statuses(threads)
    local counts = {}
    for status = 100, 999 do
        local count = sum(threads, "status_" .. status)
        if count > 0 then
            counts[#counts + 1] = format(" %d=%d", status, count)
        end
    end
    print("Statuses:" .. (#counts > 0 and table.concat(counts) or " none"))
end

local function print_hits(threads, errors, counts_statuses)
    print(format("Misses asked: %d", sum(threads, "misses")))
    if not counts_statuses and errors.status > 0 then
        print("Hit ratio: unknown (STATUSES=1 counts the statuses)")
        return
    end
    local hits = counts_statuses and sum(threads, "status_200") or sum(threads, "gets")
    local lookups = counts_statuses and hits + sum(threads, "status_404") or hits
    print(format("Hit ratio: %.4f (%d of %d GETs)", hits / lookups, hits, lookups))
end

-- All latencies of a histogram, in microseconds: a line for each value, as the generator's --record writes them. wrk2
-- gives no counts, but it gives the latency at any place of their order. For that it walks through its histogram each
-- time. So there must not be too many values, or a late server would make this take longer than the load.
function workload.record(latency, path)
    local file = io.open(path, "w")
    if not file then
        fail(format("RECORD=%s cannot be written", path))
    end
    file:write("latency,valueMicros,count,totalCount,percentile\n")
    local total, first = #latency, 1
    while first <= total do
        local alike_max, last, past = latency[first] * RECORDED_APART, first, total + 1
        while past - last > 1 do
            local middle = floor((last + past) / 2)
            if latency[middle] <= alike_max then
                last = middle
            else
                past = middle
            end
        end
        file:write(format("recorded,%d,%d,%d,%.6f\n", latency[last], past - first, last, 100 * last / total))
        first = past
    end
    file:close()
end

-- Has a thread ask the server that is its own.
local function direct(thread, server)
    for _, address in ipairs(wrk.lookup(server.host, server.port)) do
        if wrk.connect(address) then
            thread.addr = address
            thread:set("host_header", server.host .. ":" .. server.port)
            return
        end
    end
    fail(format("unable to connect to %s:%s", server.host, server.port))
end

-- Defines what wrk2 calls.
function workload.run(name)
    local settings = workload.settings()
    local has_hits = name == "get" or name == "mixed"
    local counts_statuses = os.getenv("STATUSES") == "1" or has_hits and settings.miss_share > 0
    local threads = {}

    function setup(thread)
        if #threads == 0 then
            print(workload.describe(name, settings))
        end
        if #threads == settings.threads then
            fail(format("there are more threads than THREADS=%d", settings.threads))
        end
        thread:set("thread_index", settings.first_thread + #threads)
        if settings.servers then
            direct(thread, settings.servers[#threads % #settings.servers + 1])
        end
        threads[#threads + 1] = thread
    end

    function init()
        wrk.headers["Host"] = host_header or wrk.headers["Host"]
        if name == "status" then
            wrk.path = "/v0/status"
            return
        end
        request = workload.requests(name, settings, thread_index, function(counter)
            _G[counter] = (_G[counter] or 0) + 1
        end)
    end

    if counts_statuses then
        function response(status)
            local counter = "status_" .. status
            _G[counter] = (_G[counter] or 0) + 1
        end
    end

    function done(summary, latency)
        if #threads ~= settings.threads then
            fail(format("there were %d threads, not THREADS=%d", #threads, settings.threads))
        end
        if counts_statuses then
            print_statuses(threads)
        end
        if has_hits then
            print_hits(threads, summary.errors, counts_statuses)
        end
        if os.getenv("RECORD") then
            workload.record(latency, os.getenv("RECORD"))
        end
    end
end

return workload
