import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { temporaryDirectory } from "./db/testing.ts";

test("without variables alerts are spoken, and notifications stay in the process", () => {
  const { notifier, redisUrl, tts } = readConfig({});
  expect({ notifier, redisUrl, tts }).toEqual({ notifier: "process", redisUrl: null, tts: { engine: "espeak", voice: null, path: "" } });
});

test.each([
  [{ NOTIFIER: "postgres" }, { notifier: "postgres" }],
  [{ REDIS_URL: "redis://127.0.0.1" }, { notifier: "redis", redisUrl: "redis://127.0.0.1" }],
  [{ REDIS_URL: "rediss://user:password@redis.example:6380/2" }, { notifier: "redis" }],
  [{ REDIS_URL: "redis://127.0.0.1", NOTIFIER: "process" }, { notifier: "process" }],
  [{ TTS: "off" }, { tts: null }],
  [{}, { traces: null }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", OTEL_SDK_DISABLED: "true" }, { traces: null }],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" },
    {
      traces: {
        serviceName: "namjai-donations",
        sampler: { name: "parentbased_always_on", ratio: 1 },
        delayMs: 5000,
        ignoredProtocol: null,
      },
    },
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    { traces: expect.objectContaining({ ignoredProtocol: "grpc" }) },
  ],
  [
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
    },
    { traces: expect.objectContaining({ ignoredProtocol: null }) },
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" },
    { traces: { serviceName: "namjai-donations", sampler: { name: "traceidratio", ratio: 0.25 }, delayMs: 5000, ignoredProtocol: null } },
  ],
  [{}, { clientDocuments: "on" }],
  [{ CLIENT_DOCUMENTS: "local" }, { clientDocuments: "local" }],
  [{ WEBHOOKS: "local" }, { webhooks: "local" }],
  [{}, { webhookPorts: [443, 8443] }],
  [{ WEBHOOK_PORTS: "443, 9443" }, { webhookPorts: [443, 9443] }],
  [{}, { logSampleRate: 1 }],
  [{ LOG_SAMPLE_RATE: "0" }, { logSampleRate: 0 }],
  [{ LOG_SAMPLE_RATE: "0.05" }, { logSampleRate: 0.05 }],
  [{ HOST: "::1" }, { host: "::1", baseUrl: "http://[::1]:8080" }],
  [{ HOST: "donations.internal" }, { baseUrl: "http://donations.internal:8080" }],
  [{ PORT: "0", METRICS_PORT: "0" }, { metricsPort: 0 }],
  [{}, { workers: 1 }],
  [{ WORKERS: "4" }, { workers: 4, notifier: "postgres" }],
  [{ WORKERS: "4", REDIS_URL: "redis://127.0.0.1" }, { notifier: "redis" }],
  [{ WORKERS: "4", NOTIFIER: "process" }, { notifier: "process" }],
  [{}, { proxies: 0 }],
  [{ PROXIES: "2" }, { proxies: 2 }],
  [{}, { limitStoreTimeoutMs: 250 }],
  [{ RATE_LIMIT_TIMEOUT_MS: "1000" }, { limitStoreTimeoutMs: 1000 }],
  [{}, { preparedStatements: null, durability: null, listenDatabaseUrl: null }],
  [{ DATABASE_URL: "postgres://127.0.0.1/x", DISTRIBUTE: "citus" }, { distribute: "citus" }],
  [{ DATABASE_URL: "postgres://127.0.0.1/x" }, { distribute: null }],
  [{ PREPARED_STATEMENTS: "off" }, { preparedStatements: false }],
  [{ PREPARED_STATEMENTS: "on" }, { preparedStatements: true }],
  [{ DURABILITY: "attested: kept by three safekeepers" }, { durability: "kept by three safekeepers" }],
  [{ LISTEN_DATABASE_URL: "postgres://127.0.0.1/x" }, { listenDatabaseUrl: "postgres://127.0.0.1/x" }],
  [{ READ_DATABASE_URL: "postgres://127.0.0.1/x" }, { readDatabaseUrl: "postgres://127.0.0.1/x" }],
  [
    { TTS_URL: "https://tts.example/speak?a=b", TTS_TOKEN: "t0ken", TTS_VOICE: "นก" },
    { tts: { engine: "http", url: "https://tts.example/speak?a=b", token: "t0ken", voice: "นก" } },
  ],
  [{ TTS_ENGINE: "espeak", TTS_URL: "https://tts.example/" }, { tts: { engine: "espeak", voice: null } }],
  [{ TTS_ENGINE: "openai", TTS_TOKEN: "t0ken" }, { tts: { engine: "openai", url: null, token: "t0ken", model: null, voice: null } }],
  [
    { TTS_ENGINE: "openai", TTS_URL: "http://127.0.0.1:8880/v1", TTS_MODEL: "kokoro" },
    { tts: { engine: "openai", url: "http://127.0.0.1:8880/v1", token: null, model: "kokoro", voice: null } },
  ],
  [{ TTS_ENGINE: "google", TTS_TOKEN: "t0ken" }, { tts: { engine: "google", url: null, token: "t0ken", voice: null } }],
  [
    { TTS_ENGINE: "azure", TTS_TOKEN: "t0ken", TTS_REGION: "southeastasia" },
    { tts: { engine: "azure", url: null, region: "southeastasia", token: "t0ken", voice: null } },
  ],
])("the environment %j is read as configured", (env, members) => {
  expect(readConfig(env)).toMatchObject(members);
});

test.each([
  [{ NOTIFIER: "kafka" }, "NOTIFIER must be one of process, postgres, redis"],
  [{ HOST: "http://127.0.0.1" }, "HOST must be an IP address or a host name, without port"],
  [{ HOST: "127.0.0.1:8080" }, "HOST must be an IP address or a host name, without port"],
  [{ HOST: "[::1]" }, "HOST must be an IP address or a host name, without port"],
  [{ PORT: "9464", METRICS_PORT: "9464" }, "METRICS_PORT must be another port than PORT"],
  [
    { DATABASE_URL: "postgres://me:secret/@127.0.0.1/x" },
    "DATABASE_URL must be postgres://user:password@host:port/name, with / @ # of a password",
  ],
  [{ WORKERS: "0" }, "WORKERS must be a whole number from 1 to 99"],
  [{ WORKERS: "two" }, "WORKERS must be a whole number from 1 to 99"],
  [{ NOTIFIER: "redis" }, "NOTIFIER=redis needs REDIS_URL"],
  [{ REDIS_URL: "http://secret@127.0.0.1" }, "REDIS_URL must be redis://"],
  [{ REDIS_URL: "redis://:secret@" }, "REDIS_URL must be redis://"],
  [{ REDIS_URL: "redis://:secret@127.0.0.1/name" }, "REDIS_URL must be redis://"],
  [{ DISTRIBUTE: "yes" }, "DISTRIBUTE must be citus"],
  [{ DISTRIBUTE: "citus" }, "DISTRIBUTE=citus needs DATABASE_URL"],
  [
    { DISTRIBUTE: "citus", DATABASE_URL: "postgres://127.0.0.1/x", READ_DATABASE_URL: "postgres://127.0.0.1/y" },
    "DISTRIBUTE=citus does not go with READ_DATABASE_URL",
  ],
  [{ PREPARED_STATEMENTS: "yes" }, "PREPARED_STATEMENTS must be on or off"],
  [{ DURABILITY: "on" }, "DURABILITY must be attested:REASON"],
  [{ DURABILITY: "attested: " }, "DURABILITY must be attested:REASON"],
  [{ LISTEN_DATABASE_URL: "redis://127.0.0.1" }, "LISTEN_DATABASE_URL must be postgres://user:password@host:port/name"],
  [{ READ_DATABASE_URL: "http://127.0.0.1" }, "READ_DATABASE_URL must be postgres://user:password@host:port/name"],
  [{ PROXIES: "on" }, "PROXIES must be a whole number from 0 to 9"],
  [{ RATE_LIMIT_TIMEOUT_MS: "0" }, "RATE_LIMIT_TIMEOUT_MS must be a whole number of milliseconds"],
  [{ RATE_LIMIT_TIMEOUT_MS: "1s" }, "RATE_LIMIT_TIMEOUT_MS must be a whole number of milliseconds"],
  [{ CLIENT_DOCUMENTS: "yes" }, "CLIENT_DOCUMENTS must be one of on, local, off"],
  [{ WEBHOOKS: "off" }, "WEBHOOKS must be one of on, local"],
  [{ WEBHOOK_PORTS: "0" }, "WEBHOOK_PORTS must be ports from 1 to 65535"],
  [{ WEBHOOK_PORTS: "443," }, "WEBHOOK_PORTS must be ports from 1 to 65535"],
  [{ WEBHOOK_PORTS: "65536" }, "WEBHOOK_PORTS must be ports from 1 to 65535"],
  [{ WEBHOOK_PORTS: "0443" }, "WEBHOOK_PORTS must be ports from 1 to 65535"],
  [{ TTS: "yes" }, "TTS must be on or off"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "secret:4317" }, "OTEL_EXPORTER_OTLP_ENDPOINT must be an http(s) URL"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_TRACES_SAMPLER: "some" }, "OTEL_TRACES_SAMPLER must be one of always_on"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_TRACES_SAMPLER_ARG: "2" }, "OTEL_TRACES_SAMPLER_ARG must be from 0 to 1"],
  [{ TTS_ENGINE: "polly" }, "TTS_ENGINE must be one of espeak, http, openai, google, azure"],
  [{ TTS_ENGINE: "http" }, "TTS_ENGINE=http needs TTS_URL"],
  [{ TTS_ENGINE: "openai" }, "TTS_ENGINE=openai needs TTS_TOKEN, or the TTS_URL"],
  [{ TTS_ENGINE: "google" }, "TTS_ENGINE=google needs TTS_TOKEN"],
  [{ TTS_ENGINE: "azure", TTS_TOKEN: "secret" }, "TTS_ENGINE=azure needs TTS_REGION"],
  [{ TTS_ENGINE: "azure", TTS_REGION: "southeastasia" }, "TTS_ENGINE=azure needs TTS_TOKEN"],
  [{ TTS_ENGINE: "azure", TTS_REGION: "evil.test/" }, "TTS_REGION must be lower-case letters and digits"],
  [{ TTS_TOKEN: "secret", TTS_TOKEN_FILE: "/x" }, "TTS_TOKEN and TTS_TOKEN_FILE are both set"],
  [{ TTS_TOKEN_FILE: "/no/such/file" }, "TTS_TOKEN_FILE names a file that can't be read (ENOENT)"],
  [{ TTS_URL: "ftp://secret.example" }, "TTS_URL must be an http(s) URL"],
  [{ TTS_URL: "https://user:secret@tts.example" }, "TTS_URL must be an http(s) URL without user name"],
  [{ TTS_TOKEN: "sec ret" }, "TTS_TOKEN must be visible ASCII"],
  [{ TTS_TOKEN: "secret\n" }, "TTS_TOKEN must be visible ASCII"],
  [{ TTS_VOICE: "-secret" }, "TTS_VOICE must be 1 to 100 characters"],
  [{ TTS_VOICE: "a\0" }, "TTS_VOICE must be 1 to 100 characters"],
])("the environment %j is refused by variable and rule, without quoting a secret", (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
  expect(() => readConfig(env)).not.toThrow(/secret/);
});

test.each([
  ["create=1200/60/120", { create: { quota: 1200, window: 60, burst: 120 } }],
  [
    "create=1200/60,failed-client=5/300",
    { create: { quota: 1200, window: 60, burst: 1200 }, "failed-client": { quota: 5, window: 300, burst: 5 } },
  ],
  ["on", {}],
  ["off", {}],
  ["", {}],
])("RATE_LIMITS=%s is read as limits of the operator", (text, limitOverrides) => {
  expect(readConfig({ RATE_LIMITS: text })).toMatchObject({ limitOverrides, rateLimits: text !== "off" });
});

test.each(["none", "create", "create=0/60", "create=1/0", "create=1", "create=1/60/0", "create=1/60;read=1/1", "ON"])(
  "RATE_LIMITS=%s is refused by name and rule",
  (text) => {
    expect(() => readConfig({ RATE_LIMITS: text })).toThrow(/RATE_LIMITS must be on, off, or a list such as create=1200\/60\/120/);
  },
);

test("a token is read from the file that TTS_TOKEN_FILE names, without the line's end", async () => {
  const file = join(await temporaryDirectory(), "token");
  await writeFile(file, "t0ken\n");
  expect(readConfig({ TTS_ENGINE: "google", TTS_TOKEN_FILE: file }).tts).toMatchObject({ token: "t0ken" });
});
