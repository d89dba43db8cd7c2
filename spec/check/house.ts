// `make house`: how many files each room of src/ has, how long they are, and how they hang together. Files of tests are left out.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

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

/** Names by file that it exports and no other file, tests included, imports. */
const idle = idleExports();

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
    "idle exports": here.reduce((sum, { path }) => sum + (idle.get(path)?.length ?? 0), 0),
    "Pick<": text.match(/\bPick</g)?.length ?? 0,
  };
  return [name, row] as const;
}

function idleExports(): Map<string, string[]> {
  const all = ["src", "conformance", "spec"].flatMap((folder) => {
    const below = join(root, "..", folder);
    const names = readdirSync(below, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    return names.map((name) => wordsOf(join(folder, name), readFileSync(join(below, name), "utf8")));
  });
  return new Map(
    files.map(({ path, text }) => {
      const others = all.filter((one) => one.path !== `src/${path}` && one.imports.has(basename(path)));
      const named = [...text.matchAll(/^export (?:async )?(?:const|let|function\*?|type|class) (\w+)/gm)].map(([, name = ""]) => name);
      return [path, named.filter((name) => !others.some(({ words }) => words.has(name)))];
    }),
  );
}

function wordsOf(path: string, text: string) {
  const imports = [...text.matchAll(/["/]([\w.-]+\.ts)"/g)].map(([, name = ""]) => name);
  return { path, imports: new Set(imports), words: new Set(text.match(/\w+/g)) };
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
