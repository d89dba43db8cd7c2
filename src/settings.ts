// The settings of the server: name, rule, default and meaning of each, once. docs/operations/settings.md is printed from here.

import { isIP } from "node:net";
import { z } from "zod";
import { anyText, httpUrl, milliseconds, oneOf, onOff, port, type SettingTable, share, wholeNumber } from "./setting.ts";

const webAddress = httpUrl
  .refine((url) => !/[?#]/.test(url))
  .transform((url) => url.replace(/\/+$/, ""))
  .describe("must be an http(s) URL without query or fragment");
const listenAddress = z
  .string()
  .refine((text) => isIP(text) !== 0 || /^[\w.-]+$/.test(text))
  .describe("must be an IP address or a host name, without port");
const postgresAddress = z
  .url({ protocol: /^postgres(?:ql)?$/ })
  .describe("must be postgres://user:password@host:port/name, with / @ # of a password written as %2F %40 %23");
const redisAddress = z
  .url({ protocol: /^rediss?$/, hostname: /./, abort: true })
  .refine((url) => /^(?:\/\d*)?$/.test(new URL(url).pathname))
  .describe("must be redis://[user:password@]host[:port][/number], or rediss:// for TLS");
const attested = z
  .string()
  .regex(/^attested:\s*\S/)
  .transform((text) => text.replace("attested:", "").trim())
  .describe("must be attested:REASON, such as attested:Neon keeps commits in its own log");
const brandName = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,31}$/)
  .describe("must be lower-case letters and digits");
const ports = z
  .string()
  .transform((text) => text.split(",").map((one) => one.trim()))
  .pipe(z.array(wholeNumber(1, 65_535)))
  .describe("must be ports from 1 to 65535, such as 443,8443");

/** By policy: `quota` requests in `window` seconds, `burst` of them at once. */
const limitList = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.string().regex(/^[a-z-]+=[1-9]\d{0,8}\/[1-9]\d{0,5}(?:\/[1-9]\d{0,8})?$/)))
  .transform((limits) => Object.fromEntries(limits.map(readLimit)));
const limitRule = z
  .union([z.enum(["on", "off"]), limitList])
  .describe("must be on, off, or a list such as create=1200/60/120 (quota/seconds/burst)");

function readLimit(limit: string): [policy: string, { quota: number; window: number; burst: number }] {
  const [policy = "", numbers = ""] = limit.split("=");
  const [quota = 0, window = 0, burst = quota] = numbers.split("/").map(Number);
  return [policy, { quota, window, burst }];
}

export const addressSettings = {
  host: { name: "HOST", rule: listenAddress, default: "127.0.0.1", meaning: "The address on which it listens." },
  port: { name: "PORT", rule: port, default: "8080", meaning: "The port on which it listens." },
  baseUrl: {
    name: "BASE_URL",
    rule: webAddress,
    shownDefault: "`http://HOST:PORT`",
    meaning:
      "Its public address: issuer of tokens and start of links. With `https` every answer carries `Strict-Transport-Security`. The default for `HOST=0.0.0.0` and `::` is `http://127.0.0.1:PORT`. A path in it is one that your reverse proxy takes off each request.",
  },
  proxies: {
    name: "PROXIES",
    rule: wholeNumber(0, 9),
    default: "0",
    meaning: "How many reverse proxies of yours stand in front of it, 0 to 9: [proxy](proxy.md).",
  },
  workers: {
    name: "WORKERS",
    rule: wholeNumber(1, 99),
    default: "1",
    meaning: "Processes that serve on `PORT`, 1 to 99. About one for each core: [grow](grow.md#all-cores-of-one-machine).",
  },
  brand: { name: "BRAND", rule: brandName, default: "namjai", meaning: "First part of API keys: lower-case letters and digits." },
  logLevel: {
    name: "LOG_LEVEL",
    rule: oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    default: "info",
    meaning: "`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`: [logs](watch.md#logs).",
  },
  logSampleRate: {
    name: "LOG_SAMPLE_RATE",
    rule: share,
    default: "1",
    meaning: "The share of successful reads that have a line in the log, 0 to 1: [logs](watch.md#logs).",
  },
  metricsPort: { name: "METRICS_PORT", rule: port, meaning: "Serves `/metrics` on this port of `HOST`: [metrics](metrics.md)." },
} as const satisfies SettingTable;

export const databaseSettings = {
  databaseUrl: {
    name: "DATABASE_URL",
    rule: postgresAddress,
    meaning:
      "Address of PostgreSQL 15 or later: `postgres://user:password@host:port/name`. A password in it is percent-encoded: `/` is `%2F`, `@` is `%40`, `#` is `%23`. Unset: the embedded PostgreSQL in `DATA_DIR`.",
    isSecret: true,
  },
  password: { name: "PGPASSWORD", meaning: "The password, as it is, for each database address that has none." },
  listenDatabaseUrl: {
    name: "LISTEN_DATABASE_URL",
    rule: postgresAddress,
    shownDefault: "`DATABASE_URL`",
    meaning:
      "The same database without a pooler, for `NOTIFIER=postgres`: [PgBouncer](grow.md#pgbouncer). Another database is refused at the start.",
    isSecret: true,
  },
  readDatabaseUrl: {
    name: "READ_DATABASE_URL",
    rule: postgresAddress,
    meaning:
      "A standby that answers lists, searches, reports and exports: [standby](grow.md#a-standby-for-reading). Another database is refused at the start; a standby that does not answer is waited for 5 seconds.",
    isSecret: true,
  },
  distribute: {
    name: "DISTRIBUTE",
    rule: z.literal("citus").describe("must be citus"),
    meaning:
      "`citus`: migrations distribute the tables over the nodes of the [Citus](citus.md) cluster whose coordinator `DATABASE_URL` names. A distributed database stays distributed.",
  },
  preparedStatements: {
    name: "PREPARED_STATEMENTS",
    rule: onOff,
    shownDefault: "`on`, behind a pooler `off`",
    meaning: "Whether statements are prepared by name. `on` behind a pooler only if that keeps track of them.",
  },
  durability: {
    name: "DURABILITY",
    rule: attested,
    meaning: "`attested:REASON`: commits survive a crash of this engine although it says `fsync=off`. The reason is logged at each start.",
  },
  dataDir: {
    name: "DATA_DIR",
    rule: anyText,
    default: ".data",
    meaning: "Folder of the embedded database, the demo's keys and the journal of erasures.",
  },
  erasureJournal: {
    name: "ERASURE_JOURNAL",
    rule: anyText,
    shownDefault: "`DATA_DIR/erasures.ndjson`",
    meaning:
      "The journal of erasures, which a restored backup needs: [data protection](data-protection.md#the-journal-of-erasures). Put it on a disk that survives the database. A file that cannot be written is refused at the start.",
  },
  secretKey: {
    name: "SECRET_KEY",
    rule: z.string().min(32).describe("must have at least 32 characters"),
    meaning:
      "At least 32 characters, the same in every process. It encrypts signing keys and other secrets that the database holds: [security](security.md#secret_key).",
    isSecret: true,
  },
} as const satisfies SettingTable;

export const processSettings = {
  redisUrl: {
    name: "REDIS_URL",
    rule: redisAddress,
    meaning:
      "Redis 6 or later: `redis://[user:password@]host[:port][/number]`, `rediss://` for TLS. It needs `npm run extras` once ([why](install.md#steps)). Nothing is lost or refused while it is down.",
    isSecret: true,
  },
  notifier: {
    name: "NOTIFIER",
    rule: oneOf("process", "postgres", "redis"),
    shownDefault: "`redis` with `REDIS_URL`, else `postgres` with several `WORKERS`, else `process`",
    meaning:
      "How processes tell each other at once that an overlay has something to show: `process` (there is only one), `postgres` or `redis`. It is a hint: without it, or while it is down, an overlay takes a second.",
  },
} as const satisfies SettingTable;

export const limitSettings = {
  limits: {
    name: "RATE_LIMITS",
    rule: limitRule,
    default: "on",
    meaning:
      "`off` for load tests, or numbers of your own: `create=1200/60/120,read=600/60` is quota/seconds/burst. The limits are in `spec/limits.tsp`.",
  },
  limitStoreTimeoutMs: {
    name: "RATE_LIMIT_TIMEOUT_MS",
    rule: milliseconds,
    default: "250",
    meaning:
      "How long a request waits to be counted by all processes together (`REDIS_URL`, `WORKERS`). After that its process counts it alone.",
  },
  clientDocuments: {
    name: "CLIENT_DOCUMENTS",
    rule: oneOf("on", "local", "off"),
    default: "on",
    meaning:
      "Whether applications may introduce themselves by a document at their `client_id`: `on`, `off`, or `local` for those on this machine, in tests: [applications](accounts.md#applications-that-are-not-registered).",
  },
  clientRegistration: {
    name: "CLIENT_REGISTRATION",
    rule: onOff,
    default: "on",
    meaning: "Whether applications may register themselves (RFC 7591): [applications](accounts.md#applications-that-register-themselves).",
  },
  webhooks: {
    name: "WEBHOOKS",
    rule: oneOf("on", "local"),
    default: "on",
    meaning: "`local`: webhooks may be sent to this machine too, without TLS, in tests and development.",
  },
  webhookPorts: {
    name: "WEBHOOK_PORTS",
    rule: ports,
    default: "443,8443",
    meaning: "The only ports of other hosts to which webhooks are sent: [firewall](security.md#network).",
  },
} as const satisfies SettingTable;
