import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { auditLines, tamper } from "../audit/testing.ts";
import type { Database } from "../db/database.ts";
import { temporaryDirectory, useDatabase } from "../db/testing.ts";
import { outputOf, runCommand, startCli } from "./testing.ts";

vi.setConfig({ testTimeout: 60_000 });

let database: Database;

useDatabase(async (opened) => {
  database = opened;
  await outputOf(startCli(database, "streamers", "create", "somchai"));
  await printed("keys", "create", "--streamer", "somchai", "--scopes", "write:donations", "--name", "=1+1");
});

/** What a command prints, and its exit code. */
async function printed(...args: string[]): Promise<{ output: string; error: string; code: number }> {
  const cli = startCli(database, ...args);
  const code = new Promise<number>((resolve) => cli.once("exit", (status) => resolve(status ?? -1)));
  const [output, error] = await Promise.all([text(cli.stdout as NodeJS.ReadableStream), text(cli.stderr as NodeJS.ReadableStream)]);
  return { output, error, code: await code };
}

test("audit export prints the lines of a streamer as NDJSON, with the operating system's user and the machine", async () => {
  const { output, code } = await printed("audit", "export", "--streamer", "somchai");
  expect(code).toBe(0);
  const lines = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { number: 1, action: "api_key.created", actor: { kind: "cli", id: expect.any(String), from: expect.any(String) } },
  ]);
  expect(Object.keys(lines[0])).toEqual(["chain", "number", "at", "hash", "action", "outcome", "actor", "target", "details"]);
});

test("audit export prints all chains as CSV with a header, from a time on", async () => {
  const { output } = await printed("audit", "export", "--format", "csv");
  const [header, ...rows] = output.trimEnd().split("\r\n");
  expect(header).toBe("chain,number,at,action,outcome,actor,actorId,from,target,details,actorDetails,hash");
  expect(
    rows.map((row) =>
      row
        .split(",")
        .slice(1, 5)
        .filter((_, i) => i !== 1),
    ),
  ).toEqual([
    ["1", "streamer.created", "done"],
    ["1", "api_key.created", "done"],
  ]);
  expect((await printed("audit", "export", "--since", "2100-01-01T00:00:00Z", "--format", "csv")).output.trimEnd()).toBe(header);
});

test.each([
  [["--format", "xml"], "Allowed choices are ndjson, csv"],
  [["--since", "yesterday"], "It must be a date-time"],
  [["--since", "5"], "It must be a date-time"],
  [["--since", "2027-02-30T00:00:00Z"], "It must be a date-time"],
  [["--since", "2027-01-01T00:00:00"], "It must be a date-time"],
  [["--streamer", "nobody"], 'there is no streamer "nobody"'],
])("audit export %j is refused with the rule", async (args, rule) => {
  expect(await runCommand(database, "audit", "export", ...args)).toEqual({ error: expect.stringContaining(rule) });
});

test("audit verify prints the heads, takes them again, and fails with the first broken line of a changed log", async () => {
  const whole = await printed("audit", "verify");
  expect(whole.code).toBe(0);
  expect(JSON.parse(whole.output)).toMatchObject({ lines: 2, broken: [], heads: [{ number: 1 }, { number: 1 }] });
  const heads = join(await temporaryDirectory(), "heads.json");
  await writeFile(heads, whole.output);
  expect(await printed("audit", "verify", "--heads", heads)).toMatchObject({ code: 0, output: whole.output });
  const [{ chain } = { chain: "" }] = await auditLines(database.knex, "operator");
  await tamper(database.knex, "update audit_log set entry = entry || ' ' where chain = 'operator'");
  const broken = await printed("audit", "verify");
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.output).broken).toEqual([{ chain, number: 1, reason: expect.stringContaining("its hash") }]);
});

test("audit verify refuses a file of heads that it has not printed, and names it", async () => {
  const file = join(await temporaryDirectory(), "heads.json");
  await writeFile(file, '{"heads": [{"chain": 1}]}');
  expect(await printed("audit", "verify", "--heads", file)).toMatchObject({ code: 1, error: expect.stringContaining(file) });
});
