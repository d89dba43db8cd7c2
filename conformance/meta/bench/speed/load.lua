-- Load for any of the servers: KIND=create TOKEN=… wrk -t1 -c64 -d5s -s load.lua http://127.0.0.1:PORT
-- Prints a line of JSON at the end. STATUSES=1 counts the answers of each status; PAUSE=300 waits so many milliseconds after each answer. Thai text and a fresh idempotency key per request are the ordinary case.

local kind, token = os.getenv("KIND"), os.getenv("TOKEN") or ""
local donations = "/api/v1/donations"
local run = os.getenv("RUN") or "run"
local number = 0

local json = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. token }
local bare = { ["Authorization"] = "Bearer " .. token }

local function list(name)
  local items = {}
  for item in (os.getenv(name) or ""):gmatch("%S+") do table.insert(items, item) end
  return items
end

local ids, words = list("IDS"), list("WORDS")
local day = function(ago) return os.date("!%Y-%m-%d", os.time() + 7 * 3600 - ago * 86400) end
local month = "?from=" .. day(29) .. "&to=" .. day(0)

-- Another instant each time, also in one second, so that no answer can be a cached one.
local since = function(days)
  return "?from=" .. os.date("!%Y-%m-%dT%H:%M:%S", os.time() - days * 86400) .. string.format(".%06dZ", number % 1000000)
end

-- Above every amount, another one each time, in later runs as well.
local begun = os.time() % 9000 * 10000
local unreached = function() return string.format("%.2f", 1000000 - (begun + number) / 100) end

local function donate(key, amount)
  return wrk.format("POST", donations, json,
    '{"donatorName":"สมชาย ใจดี","amount":' .. amount .. ',"message":"ขอบคุณสำหรับสตรีมครับ","idempotencyKey":"' .. key .. '"}')
end

local kinds = {
  create = function() return donate(run .. "-" .. number, "123.45") end,
  replay = function() return donate("replayed-" .. number % 500, "123.45") end,
  refused = function() return donate(run .. "-" .. number, "-1") end,
  me = function() return wrk.format("GET", "/api/v1/me", bare) end,
  get = function() return wrk.format("GET", donations .. "/" .. ids[number % #ids + 1], bare) end,
  list = function() return wrk.format("GET", donations .. "?limit=20", bare) end,
  listnew = function() return wrk.format("GET", donations .. "?limit=20&maxAmount=" .. unreached(), bare) end,
  list100 = function() return wrk.format("GET", donations .. "?limit=100", bare) end,
  search = function() return wrk.format("GET", donations .. "/search?q=" .. words[number % #words + 1], bare) end,
  stats = function() return wrk.format("GET", donations .. "/stats", bare) end,
  stats30 = function() return wrk.format("GET", donations .. "/stats" .. month, bare) end,
  top = function() return wrk.format("GET", donations .. "/top-donators", bare) end,
  trends = function() return wrk.format("GET", donations .. "/trends/amount", bare) end,
  searchnew = function() return wrk.format("GET", donations .. "/search?maxAmount=" .. unreached() .. "&q=" .. words[number % #words + 1], bare) end,
  statsnew = function() return wrk.format("GET", donations .. "/stats" .. since(30), bare) end,
  topnew = function() return wrk.format("GET", donations .. "/top-donators" .. since(30), bare) end,
  trendsnew = function() return wrk.format("GET", donations .. "/trends/amount" .. since(30), bare) end,
}

-- To read each answer costs the load time, so statuses are counted only where it is asked for.
statuses = {}
if os.getenv("STATUSES") then
  response = function(status) statuses[status] = (statuses[status] or 0) + 1 end
end

-- Not all connections in step.
local pause = tonumber(os.getenv("PAUSE") or "0")
if pause > 0 then
  delay = function() return math.random(math.floor(pause / 2), math.floor(pause * 3 / 2)) end
end

local threads = {}
setup = function(thread)
  table.insert(threads, thread)
  local tokens = os.getenv("REFRESH_TOKENS")
  local at = 0
  if tokens then
    for one in tokens:gmatch("%S+") do
      at = at + 1
      if at == #threads then thread:set("refresh", one) end
    end
  end
end

if kind == "token" then
  -- Every refresh token is good once: a thread has one connection and goes on with the token that it was answered.
  local client = os.getenv("CLIENT") or ""
  request = function()
    return wrk.format("POST", "/oauth/token", { ["Content-Type"] = "application/json" },
      '{"grant_type":"refresh_token",' .. client .. ',"refresh_token":"' .. refresh .. '"}')
  end
  response = function(status, headers, body) refresh = body:match('"refresh_token":"([^"]+)"') or refresh end
else
  local make = kinds[kind]
  request = function()
    number = number + 1
    return make()
  end
end

done = function(summary, latency)
  local errors = summary.errors
  local sums, counts = {}, {}
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("statuses")) do sums[status] = (sums[status] or 0) + count end
  end
  for status, count in pairs(sums) do table.insert(counts, string.format('"%d":%d', status, count)) end
  io.write(string.format('\n{"requests":%d,"seconds":%.6f,"p50":%.4f,"p99":%.4f,"errors":%d,"statuses":{%s},"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status, table.concat(counts, ","), errors.connect + errors.read + errors.write + errors.timeout))
end
