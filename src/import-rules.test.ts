import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

// The order of imports, from the ground up: a room imports any room above it in this list, plainly, and none below it.
const order = [
  ["base", "setting.ts", "settings.ts", "config-tls.ts", "config-traces.ts", "config-tts.ts", "setting-names.ts", "config.ts"],
  ["telemetry"],
  ["db"],
  ["audit"],
  ["http"],
  ["auth"],
  ["ui"],
  ["notifier"],
  ["speech"],
  ["donations"],
  ["reports"],
  ["alerts"],
  ["events"],
  ["corrections"],
  ["oauth"],
  ["overlay-pages"],
  ["docs"],
  ["mcp"],
  ["studio"],
  ["ops"],
  ["app.ts", "listener.ts"],
  ["cli"],
  ["main.ts", "cli.ts"],
];
const root = import.meta.dirname;

/** The server only shows a guide's sample; the reader's program runs it. */
const isSample = (file: string) => file.startsWith("docs/guides/");

/** Files that only tests import may use every room. */
const isForTests = (file: string) => /(?:\.test|\.config|testing(?:-[a-z]+)*)\.ts$|^ops\/upgrade\//.test(file);

const allFiles = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

const files = allFiles.filter((file) => !isForTests(file) && !isSample(file));

test("every room has its place in the order of imports", () => expect(files.filter((file) => placeOf(file) < 0)).toEqual([]));

test("imports never go down the order of rooms, types included", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => placeOf(target) > placeOf(file))
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("no file imports itself through others, types included", () => {
  const ended = new Set<string>();
  const circleFrom = (file: string, path: readonly string[]): string | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(" → ");
    if (ended.has(file)) return null;
    const circle = importsOf(file).reduce<string | null>((found, target) => found ?? circleFrom(target, [...path, file]), null);
    ended.add(file);
    return circle;
  };
  const circles = files.map((file) => circleFrom(file, [])).filter((circle) => circle !== null);
  expect(circles).toEqual([]);
});

test("every file begins by saying what it is for", () => {
  expect(files.filter((file) => !readFileSync(join(root, file), "utf8").startsWith("// "))).toEqual([]);
});

test("files that are only for tests are imported by tests alone", () => {
  expect(files.flatMap((file) => importsOf(file).filter(isForTests))).toEqual([]);
});

test("tests of pages in Chromium import from conformance/, and no other file of src/ does", () => {
  const importing = allFiles.filter((file) => targetsOf(file).some((target) => target.startsWith("../conformance/")));
  expect(importing.filter((file) => !file.endsWith(".chromium.test.ts"))).toEqual([]);
  expect(importing).not.toEqual([]);
});

test("OpenTelemetry is imported by telemetry/open-tracing.ts alone, and that file only when traces are configured: by import() in main.ts", () => {
  const lines = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(
    lines.filter((line) => /(?:from |import\(|require\()"@opentelemetry\//.test(line) && !line.startsWith("telemetry/open-tracing.ts:")),
  ).toEqual([]);
  expect(lines.filter((line) => /open-tracing\.ts"/.test(line))).toEqual([
    'main.ts: const { openTracing } = await import("./telemetry/open-tracing.ts");',
  ]);
});

test("only config.ts and the entry points that pass it on read process.env", () => {
  const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), "utf8")));
  expect(
    readers.filter(
      (file) =>
        !["main.ts", "cli.ts", "config.ts", "ops/process/psql.ts", "ops/upgrade/upgrade.ts"].includes(file) &&
        !/^(?:db|ops\/demo)\//.test(file),
    ),
  ).toEqual([]);
});

test("openapi-backend is imported only by http/contract/contract.ts, oauth2-server only by oauth/tokens/token.ts, the MCP SDK only by mcp/protocol.ts, and Koa only by http, ui and listener.ts", () => {
  const importing = (name: string) => files.filter((file) => new RegExp(`from "${name}"`).test(readFileSync(join(root, file), "utf8")));
  expect(importing("openapi-backend")).toEqual(["http/contract/contract.ts"]);
  expect(importing("oauth2-server")).toEqual(["oauth/tokens/token.ts"]);
  expect(importing("@modelcontextprotocol/server")).toEqual(["mcp/protocol.ts"]);
  expect(importing("koa").filter((file) => !file.startsWith("http/") && !/^(?:listener|ui\/)/.test(file))).toEqual([]);
});

test("only db/citus/ knows whether Citus distributes the database: other files state work in both ways, and ask nothing", () => {
  const outside = files.filter((file) => !file.startsWith("db/citus/"));
  const asking = /\bisDistributed\b|\blayout\s*[!=]==|"onNodes"|\bpg_dist_|run_command_on|\bcreate_(?:distributed|reference)_/;
  expect(outside.filter((file) => asking.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
  const used = outside.flatMap((file) => importsOf(file).filter((target) => target.startsWith("db/citus/")));
  const seam = ["distribute", "layout", "node-functions"].map((name) => `db/citus/${name}.ts`);
  expect([...new Set(used)].sort()).toEqual(seam);
});

/** The files of src/ that a file imports. */
const importsOf = (file: string): string[] => targetsOf(file).filter((target) => !target.startsWith(".."));

/** The files of the project that a file imports, relative to src/. */
function targetsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const named = [...text.matchAll(/(?:from |import\()"(\.[^"]+\.ts)"/g)].map(([, target = ""]) => target);
  return named.map((target) => relative(root, join(root, dirname(file), target)));
}

function placeOf(file: string): number {
  return order.findIndex((rooms) => rooms.includes(file.split("/")[0] ?? ""));
}
