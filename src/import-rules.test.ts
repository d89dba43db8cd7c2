import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

// The order of imports, top to bottom: main and cli → process → app → feature folders → auth, ui → http → audit → db → async → telemetry → config,
// text, time. Feature folders never import each other.
const root = import.meta.dirname;
const levels = [
  ["config-secrets.ts"],
  ["config-tls.ts", "config-tts.ts", "settings.ts"],
  ["config.ts", "text", "time"],
  ["telemetry"],
  ["async"],
  ["db"],
  ["audit"],
  ["http"],
  ["auth", "ui"],
];
const top = ["main.ts", "cli.ts", "cli", "demo", "bench", "process", "app.ts", "app"];

/** The server only shows a guide's sample; the reader's program runs it. */
const isSample = (file: string) => file.startsWith("docs/guides/");

/** Files that only tests import may use every folder. */
const isForTests = (file: string) => /(?:\.test|\.config|testing(?:-[a-z]+)*)\.ts$|^upgrade\//.test(file);

const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !isForTests(file) && !isSample(file),
);

test("imports go downwards, and feature folders never import each other", () => {
  const violations = files.flatMap((file) =>
    importsOf(file)
      .map((target) => `${file} → ${target}`)
      .filter(isViolation),
  );
  expect(violations).toEqual([]);
});

test("every file begins by saying what it is for", () => {
  expect(files.filter((file) => !readFileSync(join(root, file), "utf8").startsWith("// "))).toEqual([]);
});

test("files that are only for tests are imported by tests alone", () => {
  expect(files.flatMap((file) => importsOf(file).filter(isForTests))).toEqual([]);
});

test("OpenTelemetry is imported by telemetry/open-tracing.ts alone, and that file only when traces are configured: by import() in main.ts", () => {
  const lines = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(lines.filter((line) => /"@opentelemetry\//.test(line) && !line.startsWith("telemetry/open-tracing.ts:"))).toEqual([]);
  expect(lines.filter((line) => /open-tracing\.ts"/.test(line))).toEqual([
    'main.ts: const { openTracing } = await import("./telemetry/open-tracing.ts");',
  ]);
});

test("only config.ts and the entry points that pass it on read process.env", () => {
  const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), "utf8")));
  expect(
    readers.filter((file) => !["main.ts", "cli.ts", "config.ts", "process/psql.ts"].includes(file) && !/^(?:db|demo|bench)\//.test(file)),
  ).toEqual([]);
});

test("openapi-backend is imported only by http/contract/contract.ts, oauth2-server only by oauth/tokens/oauth2-server-adapter.ts, the MCP SDK only by mcp/protocol.ts, and Koa only by http, ui and app", () => {
  const importing = (name: string) => files.filter((file) => new RegExp(`from "${name}"`).test(readFileSync(join(root, file), "utf8")));
  expect(importing("openapi-backend")).toEqual(["http/contract/contract.ts"]);
  expect(importing("oauth2-server")).toEqual(["oauth/tokens/oauth2-server-adapter.ts"]);
  expect(importing("@modelcontextprotocol/server")).toEqual(["mcp/protocol.ts"]);
  expect(importing("koa").filter((file) => !file.startsWith("http/") && !/^(?:app\/|ui\/|bench\/)/.test(file))).toEqual([]);
});

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const named = [...text.matchAll(/(?:from |import\()"(\.[^"]+)"/g)].map(([, target]) => target as string);
  const targets = named.map((target) => relative(root, join(root, dirname(file), target)));
  return targets.filter((target) => !target.startsWith(".."));
}

function isViolation(line: string): boolean {
  const [from = "", to = ""] = line.split(" → ");
  if (folderOf(from) === folderOf(to)) return false;
  return levelOf(to) >= levelOf(from) && !(top.includes(folderOf(from)) && top.includes(folderOf(to)));
}

function folderOf(file: string): string {
  return file.split("/")[0] as string;
}

function levelOf(file: string): number {
  const folder = folderOf(file);
  const level = levels.findIndex((names) => names.includes(folder));
  if (top.includes(folder)) return levels.length + 1;
  return level === -1 ? levels.length : level;
}
