-- The queue's hot statements as sysbench events. One script for every target: mqgate is given
-- exactly the text that the servers and the other proxies get.
--
--   point    SELECT of one message by its unique key
--   poll     SELECT of the next ten messages of a partition
--   publish  START TRANSACTION, INSERT … ON DUPLICATE KEY UPDATE, COMMIT
--   idle     a connection that does nothing (for the memory of a client)
local ffi = require("ffi")
ffi.cdef("int usleep(unsigned int microseconds);")

sysbench.cmdline.options = {
   workload = {"point, poll, publish or idle", "point"},
   mode = {"text, prepared, or reprepare (prepare, execute and close for every call)", "text"},
   partitions = {"partitions that hold messages", 16},
   messages = {"messages in each partition", 1000},
   run = {"a word that makes this run's message ids unique", "run"}
}

local PAYLOAD = string.rep("0123456789", 20)
local TOPIC_READ, TOPIC_WRITE = "bench", "bench_publish"

local INT, TEXT = sysbench.sql.type.BIGINT, sysbench.sql.type.VARCHAR

local function random_partition()
   return string.format("partition-%02d", sysbench.rand.uniform(1, sysbench.opt.partitions))
end

-- Each workload: the statement, its parameters' types and their values for one event, and how many
-- rows the answer must have.
local workloads = {
   point = {
      sql = "SELECT payload FROM queue_messages WHERE topic = ? AND partition_key = ? AND id = ?",
      types = {TEXT, TEXT, TEXT},
      rows = 1,
      values = function()
         local id = string.format("message-%06d", sysbench.rand.uniform(1, sysbench.opt.messages))
         return {TOPIC_READ, random_partition(), id}
      end
   },
   poll = {
      sql = "SELECT offset, id, payload, metadata, published_at, failure_count "
         .. "FROM queue_messages WHERE topic = ? AND partition_key = ? AND offset > ? "
         .. "ORDER BY offset ASC LIMIT ?",
      types = {TEXT, TEXT, INT, INT},
      rows = 10,
      values = function()
         -- Partitions take turns in the offsets; the last ten of each are never the start.
         local last = (sysbench.opt.messages - 10) * sysbench.opt.partitions
         return {TOPIC_READ, random_partition(), sysbench.rand.uniform(0, last), 10}
      end
   },
   publish = {
      sql = "INSERT INTO queue_messages (topic, partition_key, id, payload, metadata, created_at, "
         .. "published_at, failed_at, failure_count, last_error, original_topic) "
         .. "VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, '', '') ON DUPLICATE KEY UPDATE id = id",
      types = {TEXT, TEXT, TEXT, TEXT, TEXT, INT, INT},
      values = function(thread, count)
         local id = string.format("%s-%d-%d", sysbench.opt.run, thread, count)
         local now = os.time() * 1000
         return {TOPIC_WRITE, random_partition(), id, PAYLOAD, '{"source": "bench"}', now, now}
      end,
      transaction = true
   }
}

local workload, connection, statement, parameters
local count = 0

local function prepare()
   statement = connection:prepare(workload.sql)
   for i, type in ipairs(workload.types) do
      parameters[i] = statement:bind_create(type, 255)
   end
   statement:bind_param(unpack(parameters))
end

local function execute_prepared(values)
   for i, value in ipairs(values) do
      parameters[i]:set(value)
   end
   return statement:execute()
end

local function execute_text(values)
   local i = 0
   return connection:query((workload.sql:gsub("%?", function()
      i = i + 1
      local value = values[i]
      return type(value) == "number" and string.format("%d", value) or "'" .. value .. "'"
   end)))
end

local function verify(result)
   if workload.rows and (result == nil or result.nrows ~= workload.rows) then
      error("the answer does not have " .. workload.rows .. " rows")
   end
end

local function execute(values)
   if sysbench.opt.mode == "text" then
      verify(execute_text(values))
   elseif sysbench.opt.mode == "prepared" then
      verify(execute_prepared(values))
   else
      prepare()
      verify(execute_prepared(values))
      statement:close()
   end
end

function thread_init()
   connection = sysbench.sql.driver():connect()
   parameters = {}
   workload = workloads[sysbench.opt.workload]
   if sysbench.opt.mode == "prepared" and workload then
      prepare()
   end
end

function event(thread)
   if sysbench.opt.workload == "idle" then
      ffi.C.usleep(100000)
      return
   end
   count = count + 1
   local values = workload.values(thread, count)
   if workload.transaction then
      connection:query("START TRANSACTION")
      execute(values)
      connection:query("COMMIT")
   else
      execute(values)
   end
end

function thread_done()
   connection:disconnect()
end
