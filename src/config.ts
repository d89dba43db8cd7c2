// Reads the configuration from the environment.

import { join } from "node:path";
import { readSecret } from "./config-secrets.ts";
import { requireTls } from "./config-tls.ts";
import { readTts, type TtsConfig } from "./config-tts.ts";

export type Config = Readonly<{
  host: string;
  port: number;
  /** PostgreSQL 15 or later; null means the embedded server in `dataDir`. */
  databaseUrl: string | null;
  /** The same database without a connection pooler, for LISTEN; null means `databaseUrl`. May hold a password: never log it. */
  listenDatabaseUrl: string | null;
  /** A standby for lists, searches, reports and exports; null: the primary answers them. May hold a password: never log it. */
  readDatabaseUrl: string | null;
  /** Whether statements are prepared by name; null: unless a connection pooler is found. */
  preparedStatements: boolean | null;
  /** Why commits survive a crash of the database whatever its `fsync` says, as the operator attests; null: `fsync` has to be on. */
  durability: string | null;
  /** Whether the tables are distributed over the nodes of a Citus cluster; null: only if they are already. */
  distribute: "citus" | null;
  dataDir: string;
  /** File of the journal of erasures, which a restored backup needs. */
  erasureJournal: string;
  brand: string;
  /** Number of worker processes; with more than one, a primary process is started beside them. */
  workers: number;
  /** Public address without a trailing slash: issuer and audience of tokens, base of links. */
  baseUrl: string;
  logLevel: LogLevel;
  /** The share of successful reads that have a log line. */
  logSampleRate: number;
  /** Port of /metrics, on the same host; null: metrics are not served. */
  metricsPort: number | null;
  /** Reverse proxies in front, each of which adds the address of its client to X-Forwarded-For; with 0 that header is ignored. */
  proxies: number;
  rateLimits: boolean;
  /** Rate limits that the operator set instead of the contract's. */
  limitOverrides: LimitOverrides;
  /** How long a request waits for Redis, or the primary, to count it. */
  limitStoreTimeoutMs: number;
  /** Encrypts the secrets that the database holds; null stores them as they are. */
  secretKey: string | null;
  /** Clients that describe themselves by a document at their client_id: on the open internet, on this machine (for tests), or not at all. */
  clientDocuments: ClientDocuments;
  /** Webhooks are sent to public hosts; `local` (for tests): to this machine as well, without TLS, too. */
  webhooks: Webhooks;
  /** Ports of other hosts that webhooks are sent to. */
  webhookPorts: readonly number[];
  /** How processes notify each other of changes. */
  notifier: NotifierKind;
  /** May hold a password: never log it. */
  redisUrl: string | null;
  /** The engine that speaks alerts; null: they are never spoken. */
  tts: TtsConfig | null;
  /** How requests are traced; null: they are not. The exporter reads its own variables. */
  traces: TraceConfig | null;
}>;

/**
 * `ratio`: the sampler's; only samplers by ratio use it. `delayMs`: between two exports. `ignoredProtocol`: the OTLP protocol that the
 * environment asks for, if this service does not support it.
 */
export type TraceConfig = Readonly<{
  serviceName: string;
  sampler: Readonly<{ name: TraceSampler; ratio: number }>;
  delayMs: number;
  ignoredProtocol: string | null;
}>;

/** How traces are sent, as OTEL_EXPORTER_OTLP_PROTOCOL names it. */
export const traceProtocol = "http/json";

const traceSamplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type TraceSampler = (typeof traceSamplers)[number];

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** By policy: `quota` requests in `window` seconds, `burst` of them at once. */
export type LimitOverrides = Readonly<Record<string, Readonly<{ quota: number; window: number; burst: number }>>>;

const clientDocuments = ["on", "local", "off"] as const;
export type ClientDocuments = (typeof clientDocuments)[number];

const webhooks = ["on", "local"] as const;
export type Webhooks = (typeof webhooks)[number];

const notifiers = ["process", "postgres", "redis"] as const;
export type NotifierKind = (typeof notifiers)[number];

/** Reads the environment variables. Throws an Error that names the variable and its rule. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const port = readPort("PORT", env.PORT || "8080");
  const host = env.HOST || "127.0.0.1";
  return Object.freeze({
    host,
    port,
    databaseUrl: readDatabaseUrl("DATABASE_URL", readSecret(env, "DATABASE_URL")),
    listenDatabaseUrl: readDatabaseUrl("LISTEN_DATABASE_URL", readSecret(env, "LISTEN_DATABASE_URL")),
    readDatabaseUrl: readDatabaseUrl("READ_DATABASE_URL", readSecret(env, "READ_DATABASE_URL")),
    preparedStatements: env.PREPARED_STATEMENTS ? readSwitch("PREPARED_STATEMENTS", env.PREPARED_STATEMENTS) : null,
    durability: readDurability(env.DURABILITY),
    distribute: readDistribute(env),
    dataDir: env.DATA_DIR || ".data",
    erasureJournal: env.ERASURE_JOURNAL || join(env.DATA_DIR || ".data", "erasures.ndjson"),
    brand: readBrand(env.BRAND),
    workers: readWorkers(env.WORKERS),
    baseUrl: readBaseUrl(env.BASE_URL, defaultBaseUrl(host, port)),
    logLevel: readLogLevel(env.LOG_LEVEL),
    logSampleRate: readShare("LOG_SAMPLE_RATE", env.LOG_SAMPLE_RATE),
    metricsPort: env.METRICS_PORT ? readPort("METRICS_PORT", env.METRICS_PORT) : null,
    proxies: readProxies(env.PROXIES),
    rateLimits: env.RATE_LIMITS !== "off",
    limitOverrides: readLimits(env.RATE_LIMITS),
    limitStoreTimeoutMs: readMilliseconds("RATE_LIMIT_TIMEOUT_MS", env.RATE_LIMIT_TIMEOUT_MS || "250"),
    secretKey: readSecretKey(readSecret(env, "SECRET_KEY")),
    clientDocuments: readClientDocuments(env.CLIENT_DOCUMENTS),
    webhooks: readWebhooks(env.WEBHOOKS),
    webhookPorts: readWebhookPorts(env.WEBHOOK_PORTS),
    notifier: readNotifier(env.NOTIFIER, readSecret(env, "REDIS_URL"), readWorkers(env.WORKERS)),
    redisUrl: readRedisUrl(readSecret(env, "REDIS_URL")),
    tts: readSwitch("TTS", env.TTS) ? readTts(env) : null,
    traces: readTraces(env),
  });
}

function defaultBaseUrl(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function readMilliseconds(name: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`${name} must be a whole number of milliseconds from 1 to 99999, not "${text}"`);
  return Number(text);
}

function readShare(name: string, text: string | undefined): number {
  const share = Number(text || 1);
  if (!(share >= 0 && share <= 1)) throw new Error(`${name} must be from 0 to 1, not "${text}"`);
  return share;
}

function readPort(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new Error(`${name} must be a whole number from 0 to 65535, not "${text}"`);
  return port;
}

function readDatabaseUrl(name: string, text: string | undefined): string | null {
  if (!text) return null;
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) throw new Error(`${name} must be a postgres:// URL`);
  requireTls(name, url);
  return text;
}

function readDurability(text: string | undefined): string | null {
  if (!text) return null;
  const reason = /^attested:(.*)$/s.exec(text)?.[1]?.trim();
  if (!reason) throw new Error(`DURABILITY must be attested:REASON, such as attested:Neon keeps commits in its own log, not "${text}"`);
  return reason;
}

function readDistribute(env: NodeJS.ProcessEnv): "citus" | null {
  const text = env.DISTRIBUTE;
  if (!text) return null;
  if (text !== "citus") throw new Error(`DISTRIBUTE must be citus, not "${text}"`);
  if (!readSecret(env, "DATABASE_URL")) throw new Error("DISTRIBUTE=citus needs DATABASE_URL: the address of the coordinator");
  if (readSecret(env, "READ_DATABASE_URL"))
    throw new Error("DISTRIBUTE=citus does not go with READ_DATABASE_URL: reads go to the nodes already");
  return text;
}

function readBrand(text: string | undefined): string {
  const brand = text || "namjai";
  if (!/^[a-z][a-z0-9]{0,31}$/.test(brand)) throw new Error(`BRAND must be lower-case letters and digits, not "${brand}"`);
  return brand;
}

function readBaseUrl(text: string | undefined, fallback: string): string {
  const url = URL.parse(text || fallback);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new Error(`BASE_URL must be an http(s) URL without query or fragment, not "${text || fallback}"`);
  return url.href.replace(/\/+$/, "");
}

function readSecretKey(text: string | undefined): string | null {
  if (!text) return null;
  if (text.length < 32) throw new Error("SECRET_KEY must have at least 32 characters");
  return text;
}

function readLogLevel(text: string | undefined): LogLevel {
  const level = logLevels.find((known) => known === (text || "info"));
  if (!level) throw new Error(`LOG_LEVEL must be one of ${logLevels.join(", ")}, not "${text}"`);
  return level;
}

function readLimits(text: string | undefined): LimitOverrides {
  if (!text || text === "on" || text === "off") return {};
  const entries = text.split(",").map((part) => {
    const [, name, ...numbers] = /^([a-z-]+)=([1-9]\d{0,8})\/([1-9]\d{0,5})(?:\/([1-9]\d{0,8}))?$/.exec(part) ?? [];
    if (!name) throw new Error(`RATE_LIMITS must be on, off, or a list such as create=1200/60/120 (quota/seconds/burst), not "${text}"`);
    const [quota, window, burst] = numbers.map((digits) => Number(digits ?? numbers[0]));
    return [name, { quota, window, burst }];
  });
  return Object.freeze(Object.fromEntries(entries));
}

function readClientDocuments(text: string | undefined): ClientDocuments {
  const kind = clientDocuments.find((known) => known === (text || "on"));
  if (!kind) throw new Error(`CLIENT_DOCUMENTS must be one of ${clientDocuments.join(", ")}, not "${text}"`);
  return kind;
}

function readWebhooks(text: string | undefined): Webhooks {
  const mode = webhooks.find((known) => known === (text || "on"));
  if (!mode) throw new Error(`WEBHOOKS must be one of ${webhooks.join(", ")}, not "${text}"`);
  return mode;
}

function readWebhookPorts(text: string | undefined): readonly number[] {
  const ports = (text || "443,8443").split(",").map((part) => part.trim());
  const isWrong = (port: string) => !/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65535;
  if (ports.some(isWrong)) throw new Error(`WEBHOOK_PORTS must be ports from 1 to 65535, such as 443,8443, not "${text}"`);
  return Object.freeze(ports.map(Number));
}

function readWorkers(text: string | undefined): number {
  if (text && !/^[1-9]\d?$/.test(text)) throw new Error(`WORKERS must be a number from 1 to 99, not "${text}"`);
  return Number(text || 1);
}

/** The default is a notifier that reaches every process. */
function readNotifier(text: string | undefined, redisUrl: string | undefined, workers: number): NotifierKind {
  const fallback = redisUrl ? "redis" : workers > 1 ? "postgres" : "process";
  const kind = notifiers.find((known) => known === (text || fallback));
  if (!kind) throw new Error(`NOTIFIER must be one of ${notifiers.join(", ")}, not "${text}"`);
  if (kind === "redis" && !redisUrl) throw new Error("NOTIFIER=redis needs REDIS_URL");
  return kind;
}

/** Variables of OpenTelemetry. Its own SDK reads those of the exporter and of the resource. */
function readTraces(env: NodeJS.ProcessEnv): TraceConfig | null {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return null;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    throw new Error(`OTEL_EXPORTER_OTLP_ENDPOINT must be an http(s) URL, such as http://127.0.0.1:4318`);
  const name = traceSamplers.find((known) => known === (env.OTEL_TRACES_SAMPLER || "parentbased_always_on"));
  if (!name) throw new Error(`OTEL_TRACES_SAMPLER must be one of ${traceSamplers.join(", ")}, not "${env.OTEL_TRACES_SAMPLER}"`);
  const ratio = readShare("OTEL_TRACES_SAMPLER_ARG", env.OTEL_TRACES_SAMPLER_ARG);
  const delayMs = readMilliseconds("OTEL_BSP_SCHEDULE_DELAY", env.OTEL_BSP_SCHEDULE_DELAY || "5000");
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || traceProtocol;
  const ignoredProtocol = protocol === traceProtocol ? null : protocol;
  return { serviceName: `${readBrand(env.BRAND)}-donations`, sampler: { name, ratio }, delayMs, ignoredProtocol };
}

// The following values may contain secrets, so their errors do not quote them.

function readRedisUrl(text: string | undefined): string | null {
  if (!text) return null;
  const url = URL.parse(text);
  if (!url?.hostname || !/^rediss?:$/.test(url.protocol) || !/^(\/\d*)?$/.test(url.pathname))
    throw new Error("REDIS_URL must be redis://[user:password@]host[:port][/number], or rediss:// for TLS");
  return text;
}

function readProxies(text: string | undefined): number {
  if (text && !/^[0-9]$/.test(text)) throw new Error("PROXIES must be a number from 0 to 9");
  return Number(text || 0);
}

function readSwitch(name: string, text: string | undefined): boolean {
  if (!text || text === "on") return true;
  if (text === "off") return false;
  throw new Error(`${name} must be on or off, not "${text}"`);
}
