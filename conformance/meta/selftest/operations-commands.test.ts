// Installs the server as docs/operations/install.md says, and runs the commands of all pages against it.

import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkout, node } from "../../suite/contract/sources.ts";
import { asPostgres, type Cluster, postgresPrograms, startCluster, untilAnswering } from "../../suite/servers/cluster.ts";
import { compileCache } from "../../suite/servers/serve.ts";
import { freePort, type Server, startServer } from "../../suite/servers/start-server.ts";
import { type Block, blocksOf, needsProgram, pages, readPage, readText, variablesOf } from "./operations-book.ts";

/** Pages whose commands need what other pages have made come after these; secrets.md gives everything up. */
const inOrder = (names: readonly string[]): string[] => {
  const rest = names.filter((name) => !["install.md", "data-protection.md", "secrets.md"].includes(name)).sort();
  return ["install.md", "data-protection.md", ...rest, "secrets.md"];
};

type Installed = { cluster: Cluster; folder: string; env: Record<string, string>; url: string; metrics: string; server: Server };
let installed: Installed | null = null;

beforeAll(async () => {
  if (await postgresPrograms()) installed = await install();
}, 240_000);
afterAll(async () => {
  await installed?.server.stop();
  await installed?.cluster.stop();
  if (installed) await rm(installed.folder, { recursive: true, force: true });
}, 120_000);

/** A block of the page with other ports and folders than a machine of its own has. */
function moved(text: string, { folder, url, metrics }: Pick<Installed, "folder" | "url" | "metrics">): string {
  return text
    .replaceAll("http://127.0.0.1:8080", url)
    .replaceAll("http://127.0.0.1:9464", metrics)
    .replaceAll("/var/lib/namjai-donations", join(folder, "data"))
    .replaceAll("/etc/namjai-donations.env", join(folder, "settings.env"))
    .replaceAll("/srv/restored", join(folder, "restored"))
    .replaceAll("/opt/namjai-donations", checkout);
}

const isRun = ({ marker }: Block): boolean => marker === null;

/** The role and the database of install.md, and a server with its file of settings. */
async function install(): Promise<Installed> {
  const [cluster, folder, port, metricsPort] = [
    await startCluster(),
    await mkdtemp(join(tmpdir(), "namjai-operations-")),
    await freePort(),
    await freePort(),
  ];
  await chmod(folder, 0o755);
  await mkdir(join(folder, "data"));
  const [url, metrics] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${metricsPort}`];
  const blocks = blocksOf("install.md").filter(isRun);
  for (const { text } of blocks.filter(({ language }) => language === "sql")) await query(cluster.url, text);
  const written = variablesOf(blocks.find(({ language }) => language === "ini")?.text ?? "");
  const settings = {
    ...written,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: (written.DATABASE_URL ?? "").replace(":5432", `:${new URL(cluster.url).port}`),
    TTS: "off",
  };
  await writeFile(
    join(folder, "settings.env"),
    Object.entries(settings)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(""),
  );
  const env = { ...settings, PATH: process.env.PATH ?? "", HOME: folder, DATA_DIR: join(folder, "data"), NODE_COMPILE_CACHE: compileCache };
  const server = await startServer(url, env, { log: join(folder, "server.log"), quiet: true });
  return { cluster, folder, env, url, metrics, server };
}

/** Runs statements one after the other, each by itself: `create database` is refused beside others. */
async function query(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const statements = text.split(/;\s*$/m).filter((statement) => statement.trim() !== "");
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const databaseOf = ({ cluster }: Installed): string => Object.assign(new URL(cluster.url), { pathname: "/donations" }).href;

test.for(inOrder(pages).filter((page) => blocksOf(page).some(isRun)))(
  "the commands of %s do what the page says",
  { timeout: 240_000 },
  async (page, context) => {
    if (!installed) return context.skip("not run: there is no PostgreSQL in /usr/lib/postgresql (apt-get install postgresql)");
    const blocks = blocksOf(page).filter(isRun);
    const printed = await runShell(
      installed,
      blocks.filter(({ language }) => language === "sh"),
    );
    for (const { prints } of blocks) for (const text of prints) expect(printed).toContain(text);
    if (page === "install.md" || page === "secrets.md") return; // install() and the last test run these
    for (const { text } of blocks.filter(({ language }) => language === "sql")) await query(databaseOf(installed), text);
    for (const { text } of blocks.filter(({ language }) => language === "ini")) await requireSettings(installed, variablesOf(text));
  },
);

/** Runs the blocks of a page in one shell. `namjai` is the command line with the server's settings. */
async function runShell(on: Installed, blocks: readonly Block[]): Promise<string> {
  const namjai = join(on.folder, "namjai");
  const variables = Object.entries({ ...on.env }).map(([name, value]) => `${name}='${value}'`);
  await writeFile(namjai, `#!/bin/sh\ncd '${checkout}' && exec env -i ${variables.join(" ")} '${node}' src/cli.ts "$@"\n`, { mode: 0o755 });
  const env = { PATH: `${on.folder}:${process.env.PATH}`, HOME: on.folder };
  const script = ["set -euo pipefail", ...blocks.map(({ text }) => moved(text, on))].join("\n");
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script], { cwd: on.folder, env });
  return stdout + stderr;
}

/** The command line, and so the server, accepts these settings beside the server's own. Files that they name hold a key. */
async function requireSettings(on: Installed, settings: Record<string, string>): Promise<void> {
  const key = join(on.folder, "key");
  await writeFile(key, "key\n");
  const env = { ...on.env, TTS: "on", ...settings, ...(settings.TTS_TOKEN_FILE && { TTS_TOKEN_FILE: key }) };
  await promisify(execFile)(node, ["src/cli.ts", "streamers", "list"], { cwd: checkout, env });
}

test("metrics.md has each metric that the server serves, and no other, and alert rules and dashboard use no other", async (context) => {
  if (!installed) return context.skip("not run: there is no PostgreSQL in /usr/lib/postgresql (apt-get install postgresql)");
  const text = await (await fetch(`${installed.metrics}/metrics`)).text();
  const served = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name).filter((name) => !/^(?:process|nodejs)_/.test(name));
  const documented = [...readPage("metrics.md").matchAll(/^\| `([a-z]+(?:_[a-z]+)+|workers)` \|/gm)].map(([, name = ""]) => name);
  expect(documented.sort()).toEqual(served.sort());
  const expressions = [...readText("deploy/monitoring/alerts.yaml").matchAll(/expr: (?:>-\n)?((?:.*\n)+?) +(?:for|labels):/g)].map(
    ([, expression = ""]) => expression,
  );
  const { panels } = JSON.parse(readText("deploy/monitoring/dashboard.json")) as { panels: { targets: { expr: string }[] }[] };
  const drawn = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const used = [...expressions, ...drawn].flatMap((expression) =>
    [...expression.matchAll(/\b(?!nodejs_|process_|histogram_quantile)[a-z]+(?:_[a-z]+)+\b/g)].map(([name]) =>
      name.replace(/_(?:count|sum|bucket)$/, ""),
    ),
  );
  expect(used.length).toBeGreaterThan(7);
  expect([...new Set(used)].filter((name) => !served.includes(name))).toEqual([]);
});

test("the lines of PgBouncer of grow.md let a client through", async (context) => {
  needsProgram(context, "pgbouncer");
  if (!installed) return context.skip("not run: there is no PostgreSQL in /usr/lib/postgresql (apt-get install postgresql)");
  const [sample, port] = [blocksOf("grow.md").find(({ text }) => text.includes("[pgbouncer]"))?.text ?? "", await freePort()];
  const to = new URL(installed.cluster.url);
  const lines = sample.replace(/^namjai = .*$/m, `namjai = host=127.0.0.1 port=${to.port} user=postgres dbname=donations`);
  const file = join(installed.folder, "pgbouncer.ini");
  await writeFile(file, `${lines}\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\n`);
  const running = promisify(execFile)(...asPostgres("pgbouncer", ["-q", file]));
  running.catch(() => {});
  await untilAnswering(`postgres://postgres@127.0.0.1:${port}/namjai`);
  running.child.kill("SIGTERM");
});

test("after the SQL of secrets.md the server starts with another SECRET_KEY, and a key of the time before still records donations", {
  timeout: 240_000,
}, async (context) => {
  if (!installed) return context.skip("not run: there is no PostgreSQL in /usr/lib/postgresql (apt-get install postgresql)");
  const key = (await runShell(installed, [shell('namjai keys create --streamer somchai --scopes "write:donations"')])).trim();
  await installed.server.stop();
  const env = { ...installed.env, SECRET_KEY: "another key of forty characters for this test" };
  const log = join(installed.folder, "restarted.log");
  await expect(startServer(installed.url, { ...env, WORKERS: "1" }, { log, quiet: true })).rejects.toThrow("SECRET_KEY is not the one");
  const [sql] = blocksOf("secrets.md").filter(({ language }) => language === "sql");
  await query(databaseOf(installed), sql?.text ?? "");
  installed.server = await startServer(installed.url, env, { log, quiet: true });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ donatorName: "Somchai", amount: 1 });
  expect((await fetch(`${installed.url}/api/v1/donations`, { method: "POST", headers, body })).status).toBe(201);
  expect(await readFile(log, "utf8")).toContain("SECRET_KEY");
});

const shell = (text: string): Block => ({ page: "", language: "sh", text, marker: null, prints: [] });
