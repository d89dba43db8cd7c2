import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryServer } from "../../db/testing.ts";
import { useServers } from "./testing-server-process.ts";

// What the server writes where a program reads its log.

const servers = useServers();
const root = join(import.meta.dirname, "../..");

/** Fails unless each line is JSON. */
function linesIn(output: string): Record<string, unknown>[] {
  return output
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Resolves to a program's exit code and the lines of both its outputs. */
async function linesOf(child: ChildProcess): Promise<{ code: number | null; lines: Record<string, unknown>[] }> {
  const outputs = [child.stdout, child.stderr].map((stream) => text(stream as NodeJS.ReadableStream));
  const [code] = (await once(child, "exit")) as [number | null];
  return { code, lines: linesIn((await Promise.all(outputs)).join("")) };
}

test("a start writes JSON alone, says the version where it listens, and warnings of libraries are lines at level warn", async () => {
  const postgres = await temporaryServer();
  const database = await postgres.freshDatabase();
  await database.close();
  const server = await servers.start({
    DATABASE_URL: database.url,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warnLate)}`,
  });
  await expect.poll(server.output).toContain("a library is old");
  expect(await server.stop()).toBe(0);
  const lines = linesIn(server.output());
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
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const { code, lines } = await linesOf(
    spawn(process.execPath, [join(root, "main.ts")], { env: { PATH, NODE_COMPILE_CACHE, LOG_SAMPLE_RATE: "2" } }),
  );
  expect(code).toBe(1);
  expect(lines).toEqual([expect.objectContaining({ level: 60, msg: `Can't serve: LOG_SAMPLE_RATE must be from 0 to 1, not "2"` })]);
});

test.skipIf(!existsSync("/dev/full"))("a process goes on while its log is refused for want of room, and ends in order", async () => {
  const program = `
    const { makeLog, logProcessEvents } = await import(${JSON.stringify(join(root, "telemetry/log.ts"))});
    const log = makeLog("info");
    logProcessEvents(log);
    for (let line = 0; line < 1_000; line += 1) log.info("a line of the log");
    setTimeout(() => console.log('"goes on"'), 1_000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", openSync("/dev/full", "w")],
  });
  const output = text(child.stdout as NodeJS.ReadableStream);
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(await output).toContain("goes on");
});
