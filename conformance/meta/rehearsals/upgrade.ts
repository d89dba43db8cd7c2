// `make rehearse-upgrade`: an earlier version and a later one serve the same database under load, one after and beside the other: the step
// forward, a step back, and a kill. Afterwards every acknowledged donation must be there, once, and the roll-ups must agree with them.
//   FROM=commit   that version and this one (default: this one, and it with the sample migrations of src/ops/upgrade/sample)     SECONDS=5   of each stage
//   DATABASE_URL  a PostgreSQL server (default: an embedded one)

import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { addKey, addStreamer, cli } from "../../suite/client/operator.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { createDatabase, databaseUrl } from "../../suite/servers/database.ts";
import { type Counted, startLoad } from "../../suite/servers/rehearsals/load.ts";
import { serverEnvironment } from "../../suite/servers/serve.ts";
import { freePort, type Server, startServer } from "../../suite/servers/start-server.ts";

/** A version of the program as a folder of code. */
type Version = { name: string; code: string; remove: () => Promise<void> };

const run = promisify(execFile);

const git = async (...words: string[]): Promise<string> => (await run("git", words, { cwd: checkout })).stdout.trim();
const thisVersion: Version = { name: "this version", code: checkout, remove: async () => {} };

const stageMs = Number(process.env.SECONDS || 5) * 1_000;

const { FROM } = process.env;

const [before, later] = FROM ? [await versionOf(FROM), thisVersion] : [thisVersion, await laterVersion()];

const database = await createDatabase(process.env.DATABASE_URL);

const { env } = await serverEnvironment(database);

const logs = await mkdtemp(join(tmpdir(), "namjai-rehearsal-"));

const serving = new Map<string, Server>();

/** The code of a commit in a folder of its own, with the packages of this checkout. Throws where the commit needs others. */
async function versionOf(commit: string): Promise<Version> {
  const lock = await git("show", `${commit}:package-lock.json`);
  if (lock !== (await readFile(join(checkout, "package-lock.json"), "utf8")).trim())
    console.log("the packages of that commit differ from those of this checkout, which it is run with");
  const code = await mkdtemp(join(tmpdir(), "namjai-version-"));
  await run("bash", ["-c", 'set -o pipefail; git archive "$1" | tar -x -C "$2"', "bash", commit, code], { cwd: checkout });
  await symlink(join(checkout, "node_modules"), join(code, "node_modules"));
  return { name: commit.slice(0, 9), code, remove: () => rm(code, { recursive: true, force: true }) };
}

/** The last commit, with the migrations of src/ops/upgrade/sample that expand its schema. */
async function laterVersion(): Promise<Version> {
  const version = await versionOf("HEAD");
  const samples = join(checkout, "src/ops/upgrade/sample");
  for (const name of ["9001_void_remarks.sql", "9002_void_remark_index"])
    await cp(join(samples, name), join(version.code, "src/db/migrations", name), { recursive: true });
  return { ...version, name: "a later version" };
}

async function start(version: Version): Promise<string> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer(
    url,
    { ...env, PORT: port, BASE_URL: url },
    { log: join(logs, `${port}.log`), quiet: true, code: version.code },
  );
  serving.set(url, server);
  return url;
}

/** Takes no new requests to the server before it ends. */
async function end(url: string, how: "stop" | "kill"): Promise<void> {
  const server = serving.get(url) as Server;
  if (how === "stop") serving.delete(url);
  await server[how]();
  serving.delete(url);
}

type Stage = [title: string, step: () => Promise<unknown>];

function stagesOf(oldUrl: string): Stage[] {
  let [old, next] = [oldUrl, ""];
  const startNext = async (): Promise<void> => void (next = await start(later));
  const startOld = async (): Promise<void> => void (old = await start(before));
  return [
    ["the earlier version alone", async () => {}],
    ["the later version starts and migrates; both", startNext],
    ["the earlier version is stopped", () => end(old, "stop")],
    ["step back: the earlier version starts again; both", startOld],
    ["the later version is killed (SIGKILL)", () => end(next, "kill")],
    ["the later version starts again; both", startNext],
    ["the earlier version is killed (SIGKILL)", () => end(old, "kill")],
  ];
}

/** Prints what happened in each stage, and returns the number of breaches. */
async function runStages(stages: readonly Stage[], counted: () => Counted): Promise<number> {
  let breaches = 0;
  for (const [title, step] of stages) {
    const before = counted();
    await step();
    await sleep(stageMs);
    const after = counted();
    const since = (name: Numbers): number => after[name] - before[name];
    console.log(line(title, [since("acknowledged"), since("refused"), since("answered500"), since("broken"), since("unread")]));
    for (const status of new Set(after.unexpected.slice(before.unexpected.length))) console.log(`    unexpected: ${status}`);
    breaches += since("unread") + after.unexpected.length - before.unexpected.length + (since("acknowledged") > 0 ? 0 : 1);
  }
  return breaches;
}

type Numbers = "acknowledged" | "refused" | "answered500" | "broken" | "unread";

const line = (title: string, cells: readonly unknown[]): string =>
  title.padEnd(50) + cells.map((cell) => String(cell).padStart(14)).join("");

async function rehearse(): Promise<boolean> {
  const old = await start(before);
  const operator = { env, handle: "main", code: before.code };
  await addStreamer(operator, "main");
  const key = await addKey(operator, "main", "write:donations read:donations");
  console.log(`from ${before.name} to ${later.name}, 8 clients\n\n${line("", ["acknowledged", "503", "500", "broken off", "not read"])}`);
  const load = startLoad({ urls: () => [...serving.keys()], key, writers: 8, reads: true });
  const breaches = await runStages(stagesOf(old), load.counted);
  await load.stop();
  const { acknowledged, away } = load.counted();
  const { lost, doubled, unasked } = await verify(load);
  console.log(`\nacknowledged ${acknowledged}: lost ${lost}, doubled ${doubled}, recorded after a refusal ${unasked}`);
  console.log(`donations were refused and none acknowledged for ${away.sum} ms in all, ${away.longest} ms at most`);
  console.log(await cli({ env, handle: "main" }, "database", "verify"));
  return breaches + lost + doubled + unasked === 0;
}

async function verify(load: ReturnType<typeof startLoad>): ReturnType<typeof load.verify> {
  const client = new pg.Client({ connectionString: await databaseUrl(env) });
  await client.connect();
  return load.verify(client).finally(() => client.end());
}

const sound = await rehearse().finally(async () => {
  await Promise.allSettled([...serving.values()].map((server) => server.kill()));
  await database.drop();
  await Promise.all([before.remove(), later.remove()]);
  await rm(logs, { recursive: true });
});

process.exit(sound ? 0 : 1);
