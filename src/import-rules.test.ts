import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

// Downwards only: main and cli → process → app → feature folders → auth, ui → http → async, db → telemetry → config, time. Feature folders
// never import each other.
const root = import.meta.dirname;
const levels = [["config.ts", "time"], ["telemetry"], ["async", "db"], ["http"], ["auth", "ui"]];
const top = ["main.ts", "cli.ts", "cli", "demo", "bench", "process", "app.ts"];

/** A guide's sample is text to the server: it runs at its reader's. */
const isSample = (file: string) => file.startsWith("docs/guides/");

/** What only tests import may build on any room, as they do. */
const isForTests = (file: string) => /(?:\.test|\.config|testing(?:-[a-z]+)*)\.ts$|^upgrade\//.test(file);

const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !isForTests(file) && !isSample(file),
);

test("imports go downwards, and feature folders never import each other", () => {
  const broken = files.flatMap((file) =>
    importsOf(file)
      .map((target) => `${file} → ${target}`)
      .filter(goesWrong),
  );
  expect(broken).toEqual([]);
});

test("what is only for tests is imported by nothing else", () => {
  expect(files.flatMap((file) => importsOf(file).filter(isForTests))).toEqual([]);
});

test("only config.ts reads process.env, beside the entrances that pass it on", () => {
  const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), "utf8")));
  expect(
    readers.filter((file) => !["main.ts", "cli.ts", "config.ts", "process/psql.ts"].includes(file) && !/^(?:db|demo|bench)\//.test(file)),
  ).toEqual([]);
});

test("only http/contract.ts knows openapi-backend, only oauth/oauth2-server-adapter.ts oauth2-server, only mcp/protocol.ts the MCP SDK, and nothing behind the router knows Koa", () => {
  const importing = (name: string) => files.filter((file) => new RegExp(`from "${name}"`).test(readFileSync(join(root, file), "utf8")));
  expect(importing("openapi-backend")).toEqual(["http/contract.ts"]);
  expect(importing("oauth2-server")).toEqual(["oauth/oauth2-server-adapter.ts"]);
  expect(importing("@modelcontextprotocol/server")).toEqual(["mcp/protocol.ts"]);
  expect(importing("koa").filter((file) => !file.startsWith("http/") && !/^(?:app\.ts|ui\/|bench\/)/.test(file))).toEqual([]);
});

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const targets = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, target]) => relative(root, join(root, dirname(file), target as string)));
  return targets.filter((target) => !target.startsWith(".."));
}

function goesWrong(line: string): boolean {
  const [from = "", to = ""] = line.split(" → ");
  if (roomOf(from) === roomOf(to)) return false;
  return levelOf(to) >= levelOf(from) && !(top.includes(roomOf(from)) && top.includes(roomOf(to)));
}

function roomOf(file: string): string {
  return file.split("/")[0] as string;
}

function levelOf(file: string): number {
  const room = roomOf(file);
  const level = levels.findIndex((names) => names.includes(room));
  if (top.includes(room)) return levels.length + 1;
  return level === -1 ? levels.length : level;
}
