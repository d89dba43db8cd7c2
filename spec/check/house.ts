// `make house`: how many files each room of src/ has, how long they are, and how they hang together. Files of tests are left out.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "../../src");
const paths = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/(?:\.test|\.config|testing(?:-[a-z]+)*)\.ts$|^docs\/guides\//.test(path))
  .sort();

const files = paths.map((path) => {
  const text = readFileSync(join(root, path), "utf8");
  const named = [...text.matchAll(/(?:from |import\()"(\.[^"]+\.ts)"/g)].map(([, target = ""]) => target);
  const imports = [...new Set(named.map((target) => relative(root, join(root, dirname(path), target))))];
  return { path, room: path.includes("/") ? (path.split("/")[0] ?? "") : "(files)", text, imports, lines: text.split("\n").length - 1 };
});

const importers = new Map<string, number>();
for (const { imports } of files) for (const target of imports) importers.set(target, (importers.get(target) ?? 0) + 1);

/** One entry for each import that closes a circle, with the file that it stands in. */
const circles = circlesOf(new Map(files.map(({ path, imports }) => [path, imports])));

const rooms = [...new Set(files.map(({ room }) => room))].map((room) => figures(room, (file) => file.room === room));
console.table(Object.fromEntries([...rooms, figures("total", () => true)]));

function figures(name: string, isIn: (file: (typeof files)[number]) => boolean) {
  const here = files.filter(isIn);
  const lines = here.map((file) => file.lines).sort((a, b) => a - b);
  const text = here.map((file) => file.text).join("");
  const row = {
    files: here.length,
    lines: lines.reduce((sum, each) => sum + each, 0),
    median: lines[Math.floor(lines.length / 2)],
    "under 30": lines.filter((each) => each < 30).length,
    "over 300": lines.filter((each) => each > 300).length,
    "one importer": here.filter(({ path }) => importers.get(path) === 1).length,
    circles: here.filter(({ path }) => circles.has(path)).length,
    "…Deps": text.match(/\btype \w*Deps\b[^;,]*=/g)?.length ?? 0,
    "Pick<": text.match(/\bPick</g)?.length ?? 0,
  };
  return [name, row] as const;
}

function circlesOf(graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const state = new Map<string, "open" | "ended">();
  const closing = new Set<string>();
  const visit = (file: string) => {
    state.set(file, "open");
    for (const target of graph.get(file) ?? []) {
      if (state.get(target) === "open") closing.add(file);
      else if (!state.has(target)) visit(target);
    }
    state.set(file, "ended");
  };
  for (const file of graph.keys()) if (!state.has(file)) visit(file);
  return closing;
}
