-- Donations at a fixed pace: each connection waits PAUSE milliseconds after each answer. TOKEN=… PAUSE=300 wrk -t1 -c2000 -d60s -s overload.lua URL
-- Prints a line of JSON at the end: how many answers of each status there were.

local token, pause = os.getenv("TOKEN") or "", tonumber(os.getenv("PAUSE") or "0")
local run = os.getenv("RUN") or "run"
local headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. token }
local number = 0
statuses = {}

request = function()
  number = number + 1
  return wrk.format("POST", "/api/v1/donations", headers,
    '{"donatorName":"สมชาย ใจดี","amount":123.45,"message":"ขอบคุณสำหรับสตรีมครับ","idempotencyKey":"' .. run .. "-" .. number .. '"}')
end

-- Not all in step.
if pause > 0 then
  delay = function() return math.random(math.floor(pause / 2), math.floor(pause * 3 / 2)) end
end

response = function(status) statuses[status] = (statuses[status] or 0) + 1 end

local threads = {}
setup = function(thread) table.insert(threads, thread) end

done = function(summary, latency)
  local counts = {}
  for status, count in pairs(threads[1]:get("statuses")) do table.insert(counts, string.format('"%d":%d', status, count)) end
  local errors = summary.errors
  io.write(string.format('\n{"seconds":%.3f,"p50":%.2f,"p99":%.2f,"broken":%d,"statuses":{%s}}\n',
    summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.timeout, table.concat(counts, ",")))
end
