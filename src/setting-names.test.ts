import { join } from "node:path";
import { expect, test } from "vitest";
import { findOddSettings, settingGroups } from "./setting-names.ts";

const settings = settingGroups.flatMap((group) => group.settings);
test("the page of settings is what the code prints (vitest -u writes it)", () =>
  expect(settingsPage()).toMatchFileSnapshot(join(import.meta.dirname, "../docs/operations/settings.md")));

test.each([
  ["RATE_LIMIT", "RATE_LIMITS"],
  ["SECRET_KEYS", "SECRET_KEY"],
  ["SECRETKEY", "SECRET_KEY"],
  ["DATABASE_URI", "DATABASE_URL"],
  ["DATABSE_URL", "DATABASE_URL"],
  ["DATABSAE_URL", "DATABASE_URL"],
  ["database_url", "DATABASE_URL"],
  ["READ_DATABASE_URI", "READ_DATABASE_URL"],
  ["ERASURES_JOURNAL", "ERASURE_JOURNAL"],
  ["LOGLEVEL", "LOG_LEVEL"],
  ["WORKER", "WORKERS"],
  ["WEBHOOK_PORT", "WEBHOOK_PORTS"],
  ["PORTS", "PORT"],
])("%s is named as a misspelt %s, without its value", (name, meant) => {
  expect(findOddSettings({ [name]: "secret" })).toEqual([`${name} is not a setting and is ignored: ${meant} is meant, perhaps`]);
});

test("variables of other programs and correct settings are not named as misspelt", () => {
  const others = ["HOME", "PATH", "USER", "LANG", "TERM", "TTY", "HOSTNAME", "LOGNAME", "PGHOST", "PGPORT", "PGUSER", "PGPASSFILE"];
  const more = [
    "NODE_ENV",
    "REDIS_PORT",
    "OTEL_BSP_SCHEDULE_DELAY",
    "OTEL_BLRP_SCHEDULE_DELAY",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_METRICS_EXPORTER",
  ];
  const names = [...settings.map(({ name }) => name), ...others, ...more, "npm_config_loglevel", "UV_THREADPOOL_SIZE"];
  expect(findOddSettings(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
});

test("settings that are set to nothing are named in one sentence", () => {
  expect(findOddSettings({ PORT: "", SECRET_KEY: "", HOST: "::", OTHER: "" })).toEqual([
    "set to nothing, which counts as not set: PORT, SECRET_KEY",
  ]);
});

function settingsPage(): string {
  const tables = settingGroups.map(({ title, settings }) => {
    const rows = settings.map(
      ({ name, default: text, shownDefault = "unset", meaning }) => `| \`${name}\` | ${text ? `\`${text}\`` : shownDefault} | ${meaning} |`,
    );
    return `## ${title}\n\n| variable | default | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Settings\n\n${introduction}\n${tables.join("\n")}\n${databaseTls}`;
}

const introduction = `Settings are environment variables, read at the start. An empty variable counts as unset, an empty [file](#secrets-in-files) is refused. A wrong value stops the start with a sentence that names the variable and its rule.

At the start one line of the log says what is in force, without passwords. Warnings name settings that are empty, variables whose names are nearly settings (\`DATABASE_URI\`), and a database with \`autovacuum\` or \`track_counts\` off.

This page is printed from [\`src/settings.ts\`](../../src/settings.ts).
`;

const databaseTls = `## TLS to the database

These parameters stand behind the question mark of \`DATABASE_URL\`, \`READ_DATABASE_URL\` and \`LISTEN_DATABASE_URL\`.

| parameter | meaning |
|---|---|
| \`sslmode=disable\` | Not encrypted. An address without any of these parameters means the same. |
| \`sslmode=verify-full\` | Encrypted. A known authority has signed the server's certificate, for the name or IP address that stands in the address. \`require\` and \`verify-ca\` mean the same here. \`allow\` and \`prefer\` are refused, because the network would decide whether anything is encrypted. |
| \`sslmode=no-verify\` | Encrypted, whoever answers. It protects from listeners, and not from a host that answers in the server's place. |
| \`sslrootcert=/path\` | The authority's certificate in PEM. Without it, the authorities that Node knows count. |
| \`sslcert=/path\`, \`sslkey=/path\` | Certificate and key of the client in PEM, for servers that ask for them: both or none, the key without a password. |
`;
