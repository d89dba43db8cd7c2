import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { settingGroups } from "./settings.ts";

const settings = settingGroups.flatMap((group) => group.settings);
const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

/** Variables that config.ts does not read itself: libraries do. */
const readElsewhere = ["PGPASSWORD", "OTEL_SERVICE_NAME"];

test("the page of settings is what the code prints (vitest -u writes it)", () =>
  expect(settingsPage()).toMatchFileSnapshot(join(import.meta.dirname, "../docs/operations/settings.md")));

test("each variable that is read as a setting is described, and no other", () => {
  const engines = ["espeak", "http", "openai", "google", "azure"].map((TTS_ENGINE) => ({
    TTS_ENGINE,
    TTS_URL: "http://127.0.0.1/",
    TTS_TOKEN: "t0ken",
  }));
  const read = new Set([collector, ...engines].flatMap(namesRead));
  read.delete("PATH");
  expect([...read, ...readElsewhere].sort()).toEqual(settings.map(({ name }) => name).sort());
});

test("each default that is described as one value is the value that an empty variable has", () => {
  const values = settings.flatMap(({ name, default: text }) => {
    const [, value] = /^`([^`]+)`$/.exec(text) ?? [];
    return value && !/[A-Z]/.test(value) ? [{ name, value }] : [];
  });
  expect(values.length).toBeGreaterThan(10);
  for (const { name, value } of values) expect(readConfig({ ...collector, [name]: value }), name).toEqual(readConfig(collector));
});

function namesRead(env: Record<string, string>): string[] {
  const names: string[] = [];
  const get = (target: Record<string, string>, name: string) => {
    names.push(name);
    return target[name];
  };
  readConfig(new Proxy(env, { get }) as NodeJS.ProcessEnv);
  return names;
}

function settingsPage(): string {
  const tables = settingGroups.map(({ title, settings }) => {
    const rows = settings.map(({ name, default: text, meaning }) => `| \`${name}\` | ${text || "unset"} | ${meaning} |`);
    return `## ${title}\n\n| variable | default | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Settings\n\n${introduction}\n${tables.join("\n")}\n${databaseTls}`;
}

const introduction = `Settings are environment variables, read at the start. An empty variable counts as unset. A wrong value stops the start with a sentence that names the variable and its rule.

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
