import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryDirectory, temporaryServer } from "../db/testing.ts";

// What the server writes where a program reads its log.

const root = join(import.meta.dirname, "..");

/** Runs a program of Node; resolves to its exit code and the lines of both outputs, each of which has to be JSON. */
async function linesOf(child: ChildProcess): Promise<{ code: number | null; lines: Record<string, unknown>[] }> {
  const outputs = [child.stdout, child.stderr].map((stream) => text(stream as NodeJS.ReadableStream));
  const [code] = (await once(child, "exit")) as [number | null];
  const all = (await Promise.all(outputs)).join("").split("\n").filter(Boolean);
  return { code, lines: all.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

async function start(env: Record<string, string>) {
  const fixed = { PATH: process.env.PATH ?? "", PORT: "0", TTS: "off", DATA_DIR: await temporaryDirectory() };
  return spawn(process.execPath, [join(root, "main.ts")], { env: { ...fixed, ...env } });
}

test("a start writes JSON alone, says the version where it listens, and warnings of libraries are lines at level warn", async () => {
  const postgres = await temporaryServer();
  const database = await postgres.freshDatabase();
  await database.close();
  const server = await start({ DATABASE_URL: database.url, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warnLate)}` });
  let seen = "";
  for (const stream of [server.stdout, server.stderr]) stream?.on("data", (part) => void (seen += part));
  const ended = linesOf(server);
  await expect.poll(() => seen, { timeout: 120_000 }).toContain("Listening on");
  await expect.poll(() => seen).toContain("a library is old");
  server.kill("SIGTERM");
  const { code, lines } = await ended;
  expect(code).toBe(0);
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 30,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      msg: expect.stringMatching(/^Listening on http:.*\(base URL/),
    }),
  );
  expect(lines).toContainEqual(expect.objectContaining({ level: 40, warning: expect.objectContaining({ message: "a library is old" }) }));
  await postgres.remove();
});

const warnLate = `setTimeout(() => process.emitWarning("a library is old", "DeprecationWarning"), 3_000).unref()`;

test("an error that nothing catches is one line of level fatal without the values that its message quotes, and ends the process", async () => {
  const program = `
    const { makeLog, logProcessEvents } = await import(${JSON.stringify(join(root, "telemetry/log.ts"))});
    logProcessEvents(makeLog("info"));
    setTimeout(() => { throw Object.assign(new Error("insert into donations - somchai"), { code: "22001" }); });
  `;
  const { code, lines } = await linesOf(spawn(process.execPath, ["--input-type=module", "--eval", program]));
  expect(code).toBe(1);
  expect(lines).toEqual([expect.objectContaining({ level: 60, origin: "uncaughtException", error: { name: "Error", code: "22001" } })]);
  expect(JSON.stringify(lines)).not.toContain("somchai");
});

test("a setting that is refused is one line of level fatal", async () => {
  const { code, lines } = await linesOf(await start({ LOG_SAMPLE_RATE: "2" }));
  expect(code).toBe(1);
  expect(lines).toEqual([expect.objectContaining({ level: 60, msg: `Can't serve: LOG_SAMPLE_RATE must be from 0 to 1, not "2"` })]);
});
