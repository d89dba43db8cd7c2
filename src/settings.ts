// Every setting with its meaning, as docs/operations/settings.md lists them. config.ts reads them.

import { secrets } from "./config-secrets.ts";

/** `default`: what counts when the variable is unset or empty, as Markdown; "" when that is nothing. */
export type Setting = Readonly<{ name: string; default: string; meaning: string }>;

export type SettingGroup = Readonly<{ title: string; settings: readonly Setting[] }>;

/** In the order in which an operator needs them. Links lead from docs/operations/. */
export const settingGroups: readonly SettingGroup[] = [
  {
    title: "Addresses and processes",
    settings: [
      { name: "HOST", default: "`127.0.0.1`", meaning: "The address on which it listens." },
      { name: "PORT", default: "`8080`", meaning: "The port on which it listens." },
      {
        name: "BASE_URL",
        default: "`http://HOST:PORT`",
        meaning:
          "Its public address: issuer of tokens and start of links. With `https` every answer carries `Strict-Transport-Security`. The default for `HOST=0.0.0.0` and `::` is `http://127.0.0.1:PORT`. A path in it is one that your reverse proxy takes off each request.",
      },
      { name: "PROXIES", default: "`0`", meaning: "How many reverse proxies of yours stand in front of it, 0 to 9: [proxy](proxy.md)." },
      {
        name: "WORKERS",
        default: "`1`",
        meaning: "Processes that serve on `PORT`, 1 to 99. About one for each core: [grow](grow.md#all-cores-of-one-machine).",
      },
      { name: "BRAND", default: "`namjai`", meaning: "First part of API keys: lower-case letters and digits." },
      {
        name: "LOG_LEVEL",
        default: "`info`",
        meaning: "`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`: [logs](watch.md#logs).",
      },
      {
        name: "LOG_SAMPLE_RATE",
        default: "`1`",
        meaning: "The share of successful reads that have a line in the log, 0 to 1: [logs](watch.md#logs).",
      },
      { name: "METRICS_PORT", default: "", meaning: "Serves `/metrics` on this port of `HOST`: [metrics](metrics.md)." },
    ],
  },
  {
    title: "Database and files",
    settings: [
      {
        name: "DATABASE_URL",
        default: "",
        meaning:
          "Address of PostgreSQL 15 or later: `postgres://user:password@host:port/name`. A password in it is percent-encoded: `/` is `%2F`, `@` is `%40`, `#` is `%23`. Unset: the embedded PostgreSQL in `DATA_DIR`.",
      },
      {
        name: "PGPASSWORD",
        default: "",
        meaning: "The password, as it is, for each database address that has none.",
      },
      {
        name: "LISTEN_DATABASE_URL",
        default: "`DATABASE_URL`",
        meaning:
          "The same database without a pooler, for `NOTIFIER=postgres`: [PgBouncer](grow.md#pgbouncer). Another database is refused at the start.",
      },
      {
        name: "READ_DATABASE_URL",
        default: "",
        meaning:
          "A standby that answers lists, searches, reports and exports: [standby](grow.md#a-standby-for-reading). Another database is refused at the start; a standby that does not answer is waited for 5 seconds.",
      },
      {
        name: "DISTRIBUTE",
        default: "",
        meaning:
          "`citus`: migrations distribute the tables over the nodes of the [Citus](citus.md) cluster whose coordinator `DATABASE_URL` names. A distributed database stays distributed.",
      },
      {
        name: "PREPARED_STATEMENTS",
        default: "`on`, behind a pooler `off`",
        meaning: "Whether statements are prepared by name. `on` behind a pooler only if that keeps track of them.",
      },
      {
        name: "DURABILITY",
        default: "",
        meaning:
          "`attested:REASON`: commits survive a crash of this engine although it says `fsync=off`. The reason is logged at each start.",
      },
      {
        name: "DATA_DIR",
        default: "`.data`",
        meaning: "Folder of the embedded database, the demo's keys and the journal of erasures.",
      },
      {
        name: "ERASURE_JOURNAL",
        default: "`DATA_DIR/erasures.ndjson`",
        meaning:
          "The journal of erasures, which a restored backup needs: [data protection](data-protection.md#the-journal-of-erasures). Put it on a disk that survives the database. A file that cannot be written is refused at the start.",
      },
      {
        name: "SECRET_KEY",
        default: "",
        meaning:
          "At least 32 characters, the same in every process. It encrypts signing keys and other secrets that the database holds: [security](security.md#secret_key).",
      },
    ],
  },
  {
    title: "Several processes",
    settings: [
      {
        name: "REDIS_URL",
        default: "",
        meaning:
          "Redis 6 or later: `redis://[user:password@]host[:port][/number]`, `rediss://` for TLS. It needs `npm run extras` once ([why](install.md#steps)). Nothing is lost or refused while it is down.",
      },
      {
        name: "NOTIFIER",
        default: "`redis` with `REDIS_URL`, else `postgres` with several `WORKERS`, else `process`",
        meaning:
          "How processes tell each other at once that an overlay has something to show: `process` (there is only one), `postgres` or `redis`. It is a hint: without it, or while it is down, an overlay takes a second.",
      },
    ],
  },
  {
    title: "Limits and other hosts",
    settings: [
      {
        name: "RATE_LIMITS",
        default: "`on`",
        meaning:
          "`off` for load tests, or numbers of your own: `create=1200/60/120,read=600/60` is quota/seconds/burst. The limits are in `spec/limits.tsp`.",
      },
      {
        name: "RATE_LIMIT_TIMEOUT_MS",
        default: "`250`",
        meaning:
          "How long a request waits to be counted by all processes together (`REDIS_URL`, `WORKERS`). After that its process counts it alone.",
      },
      {
        name: "CLIENT_DOCUMENTS",
        default: "`on`",
        meaning:
          "Whether applications may introduce themselves by a document at their `client_id`: `on`, `off`, or `local` for those on this machine, in tests: [applications](accounts.md#applications-that-are-not-registered).",
      },
      {
        name: "WEBHOOKS",
        default: "`on`",
        meaning: "`local`: webhooks may be sent to this machine too, without TLS, in tests and development.",
      },
      {
        name: "WEBHOOK_PORTS",
        default: "`443,8443`",
        meaning: "The only ports of other hosts to which webhooks are sent: [firewall](security.md#network).",
      },
    ],
  },
  {
    title: "Speech",
    settings: [
      { name: "TTS", default: "`on`", meaning: "`off`: alerts are never spoken." },
      {
        name: "TTS_ENGINE",
        default: "`espeak`, with `TTS_URL` `http`",
        meaning: "What speaks alerts: `espeak`, `http`, `openai`, `google` or `azure`: [speech](speech.md).",
      },
      {
        name: "TTS_URL",
        default: "",
        meaning:
          "Address of your own service, or another address than the provider's. The log warns at the start when nobody answers there.",
      },
      { name: "TTS_TOKEN", default: "", meaning: "The engine's key." },
      { name: "TTS_VOICE", default: "", meaning: "The engine's name of a voice." },
      { name: "TTS_MODEL", default: "", meaning: "Model of `openai`." },
      { name: "TTS_REGION", default: "", meaning: "Region of `azure`." },
    ],
  },
  {
    title: "Traces",
    settings: [
      {
        name: "OTEL_EXPORTER_OTLP_ENDPOINT",
        default: "",
        meaning:
          "An OpenTelemetry collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`. It needs `npm run extras` once ([why](install.md#steps)). Unset: no traces. [Traces](traces.md).",
      },
      {
        name: "OTEL_TRACES_SAMPLER",
        default: "`parentbased_always_on`",
        meaning: "`always_on`, `always_off`, `traceidratio`, or one of these behind `parentbased_`.",
      },
      { name: "OTEL_TRACES_SAMPLER_ARG", default: "`1`", meaning: "The share of traces that samplers by ratio keep, 0 to 1." },
      {
        name: "OTEL_EXPORTER_OTLP_PROTOCOL",
        default: "`http/json`",
        meaning: "Nothing else is supported. The log warns at the start about another value, which is ignored.",
      },
      {
        name: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
        default: "`OTEL_EXPORTER_OTLP_PROTOCOL`",
        meaning: "The same, for traces alone.",
      },
      { name: "OTEL_BSP_SCHEDULE_DELAY", default: "`5000`", meaning: "Milliseconds between two exports." },
      { name: "OTEL_SDK_DISABLED", default: "`false`", meaning: "`true`: nothing is traced." },
      {
        name: "OTEL_SERVICE_NAME",
        default: "`BRAND-donations`",
        meaning: "What the collector calls this service. `OTEL_RESOURCE_ATTRIBUTES` adds attributes.",
      },
    ],
  },
  {
    title: "Secrets in files",
    settings: secrets.map((name) => ({
      name: `${name}_FILE`,
      default: "",
      meaning: `A file that holds \`${name}\`, as containers mount secrets.`,
    })),
  },
];

// The names of the settings. One that is misspelt would be ignored in silence, and so would one that is empty.

const settingNames = settingGroups.flatMap(({ settings }) => settings.map(({ name }) => name));

/** A sentence for each variable whose name is near to that of a setting, and one for all settings that are empty. Values are not quoted. */
export function findOddSettings(env: NodeJS.ProcessEnv): string[] {
  const misspelt = Object.keys(env).flatMap((name) => {
    const meant = nearestSetting(name);
    return meant === null ? [] : [`${name} is not a setting and is ignored: ${meant} is meant, perhaps`];
  });
  const empty = settingNames.filter((name) => env[name] === "");
  return empty.length === 0 ? misspelt : [...misspelt, `set to nothing, which counts as not set: ${empty.join(", ")}`];
}

/** Shorter names have too many neighbours among the variables of other programs. */
const leastLength = 4;

/** Letters by which a misspelt name may differ. OpenTelemetry has many more variables than are read here, some of them nearly alike. */
const mostEdits = (setting: string): number => (setting.length < 9 || setting.startsWith("OTEL_") ? 1 : 2);

/** The setting that the name nearly is, whatever its case and underscores; null for other variables. */
function nearestSetting(name: string): string | null {
  if (settingNames.includes(name)) return null;
  const letters = lettersOf(name);
  const differences = settingNames
    .filter((setting) => setting.length >= leastLength)
    .map((setting) => ({ setting, count: countEdits(letters, lettersOf(setting)) }))
    .filter(({ setting, count }) => count <= mostEdits(setting))
    .sort((a, b) => a.count - b.count);
  return differences[0]?.setting ?? null;
}

const lettersOf = (name: string): string => name.toUpperCase().replaceAll("_", "");

/** Letters to insert, remove or replace until one text is the other (Levenshtein). */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
