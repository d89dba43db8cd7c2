// The recipes of docs/recipes.md, followed step by step in a copy of the project.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { listGitFiles } from "../../../spec/check/git-files.ts";
import { openMemory } from "../../../spec/check/memory.ts";
import { stages, typeCheck } from "../../../spec/check/steps.ts";
import { checkout } from "../../suite/contract/sources.ts";

type Edit = { kind: "edit"; file: string; place: Place | null; anchor: string; text: string };

/** `promised`: what the command says when it fails; nothing: it passes. `…` stands for anything in the line. */
type Command = { kind: "command"; command: string; promised: string[] };

type Recipe = { title: string; steps: (Edit | Command)[] };

type Place = (typeof places)[number];

const places = ["at the end", "before", "after", "instead of"] as const;

/** The sections in which something is run. Throws an Error that names a snippet without a file. */
function readRecipes(markdown: string): Recipe[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ""] = section.split("\n", 1);
      return { title, blocks: fencesOf(section) };
    })
    .filter(({ blocks }) => blocks.some(({ language }) => language === "console"))
    .map(({ title, blocks }) => ({ title, steps: blocks.map((block) => stepOf(title, block)) }));
}

type Fence = { language: string; lines: string[] };

/** Fenced code, without the indentation of its fence. */
function fencesOf(section: string): Fence[] {
  return [...section.matchAll(/^( *)```(\w+)\n(.*?)^ *```$/gms)].map(([, indentation = "", language = "", text = ""]) => ({
    language,
    lines: text.split("\n").map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line.trimStart())),
  }));
}

function stepOf(title: string, { language, lines }: Fence): Edit | Command {
  const [first = "", ...others] = lines;
  if (language === "console")
    return { kind: "command", command: first.replace(/^\$ /, ""), promised: others.filter((line) => line !== "") };
  const [, file, place, anchor = ""] = /^(?:\/\/|--) ([\w./-]+)(?:, (at the end|before|after|instead of)(?:: (.+))?)?$/.exec(first) ?? [];
  if (!file) throw new Error(`${title}: a snippet does not say which file it belongs to: ${first}`);
  return { kind: "edit", file, place: places.find((known) => known === place) ?? null, anchor, text: others.join("\n") };
}

/** The file with the snippet in it; `before` is null where there is no such file. Throws an Error that names what does not fit. */
function edited(before: string | null, { file, place, anchor, text }: Edit): string {
  if (place === null) {
    if (before !== null) throw new Error(`${file} exists already`);
    return text;
  }
  if (before === null) throw new Error(`there is no ${file}`);
  if (place === "at the end") return before + text;
  const lines = before.split("\n");
  const found = [...lines.entries()].filter(([, line]) => line.trim() === anchor);
  const [index] = found[0] ?? [];
  if (index === undefined || found.length > 1) throw new Error(`${file} has ${found.length} lines, not one, that say: ${anchor}`);
  const kept = place === "instead of" ? [] : [lines[index] as string];
  const snippet = text.replace(/\n$/, "").split("\n");
  lines.splice(index, 1, ...(place === "after" ? [...kept, ...snippet] : [...snippet, ...kept]));
  return lines.join("\n");
}

/** The promised lines that the output does not have. */
function unkept(promised: readonly string[], output: string): string[] {
  const plain = output.replace(/\u001b\[[0-9;]*m/g, "");
  const pattern = (line: string) => new RegExp(line.trim().split("…").map(literally).join(".*"));
  return promised.filter((line) => !pattern(line).test(plain));
}

function literally(text: string): string {
  return text.replace(/[.*+?^$()|[\]{}\\/]/g, "\\$&");
}

type Outcome = { code: number; output: string };

type ProjectCopy = {
  apply: (edit: Edit) => Promise<void>;
  /** Runs a command of the shell, as somebody would in the copy. */
  run: (command: string) => Promise<Outcome>;
  write: (file: string, content: string) => Promise<void>;
  /** Notes that generated/ is what spec/ compiles to, so that `make check` compiles only what was changed since. */
  noteGenerated: () => Promise<void>;
  remove: () => Promise<void>;
};

async function copyProject(): Promise<ProjectCopy> {
  const folder = await mkdtemp(join(tmpdir(), "namjai-recipes-"));
  const files = await listGitFiles(["--cached", "--others", "--exclude-standard"]);
  if (!files) throw new Error(`${checkout} is no checkout of git, which says what the project's files are`);
  for (const file of files) await cp(join(checkout, file), join(folder, file)).catch(ignoreDeleted);
  await linkPackages(folder);
  // What has passed in the checkout has passed here: `make check` looks anew at what a recipe changes.
  const checks = "node_modules/.cache/checks";
  await cp(join(checkout, checks), join(folder, checks), { recursive: true }).catch(ignoreDeleted);
  await runIn(folder, "git init --quiet && git add --all");
  const write = async (file: string, content: string): Promise<void> => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  };
  return {
    write,
    apply: async (edit) => write(edit.file, edited(await readFile(join(folder, edit.file), "utf8").catch(() => null), edit)),
    run: (command) => runIn(folder, command),
    noteGenerated: async () => {
      const memory = await openMemory(folder);
      for (const step of stages.flat().filter(({ command }) => command.includes("spec/check/drift.ts"))) await memory.notePassed(step);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A folder of its own with a link for each package: what tools keep in node_modules stays in the copy. */
async function linkPackages(folder: string): Promise<void> {
  const [from, to] = [join(checkout, "node_modules"), join(folder, "node_modules")];
  await mkdir(to);
  for (const name of await readdir(from)) {
    if (name.startsWith(".") && name !== ".bin") continue;
    await symlink(join(from, name), join(to, name));
  }
  await cp(join(from, ".package-lock.json"), join(to, ".package-lock.json")); // newer than package-lock.json: nothing is installed
}

function ignoreDeleted(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

async function runIn(folder: string, command: string): Promise<Outcome> {
  const env = { ...process.env, PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH}` };
  for (const name of Object.keys(env))
    if (/^(?:VITEST|MAKE|MFLAGS$|NODE_ENV$|TEST$|DEV$|PROD$|MODE$)/.test(name)) delete (env as NodeJS.ProcessEnv)[name];
  const child = spawn("bash", ["-c", command], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: out + err };
}

const recipes = readRecipes(readFileSync(join(checkout, "docs/recipes.md"), "utf8"));

/** It takes out what other recipes need, and has a copy of its own. */
const removing = "Removing an operation or a member";

test("docs/recipes.md has a recipe for each thing that is often added, and for what is removed", () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    "Adding an operation",
    "Adding a resource",
    "Adding a member of the donation",
    "Adding a type of event",
    "Writing a migration",
    "Adding a setting",
    "Adding a widget",
    "Adding a speech engine",
    removing,
  ]);
});

test.each([
  ["every recipe that adds something", recipes.filter(({ title }) => title !== removing)],
  ["the recipe that removes something", recipes.filter(({ title }) => title === removing)],
])("%s works as it stands there, and every command says what it promises", { timeout: 600_000 }, async (_, some) => {
  const copy = await copyProject();
  try {
    await followAll(some, copy);
  } finally {
    await copy.remove();
  }
});

describe("a recipe that is not true", () => {
  const recipe = (fence: string) => readRecipes(`# Recipes\n\n## A recipe\n\n${fence}\n\`\`\`console\n$ make check\n\`\`\`\n`);
  const edit = (first: string) => recipe(`\`\`\`ts\n${first}\nconst a = 1;\n\`\`\``)[0]?.steps[0] as Edit;

  test("a recipe with a snippet that names no file is refused", () => {
    expect(() => edit("const b = 2;")).toThrow("A recipe: a snippet does not say which file it belongs to: const b = 2;");
  });

  test("a recipe that names a line which its file no longer has, or has twice, is refused", () => {
    const step = edit("// src/a.ts, after: const b = 2;");
    expect(edited("const b = 2;\nconst c = 3;\n", step)).toBe("const b = 2;\nconst a = 1;\nconst c = 3;\n");
    for (const [text, count] of [
      ["const c = 3;\n", 0],
      ["const b = 2;\nconst b = 2;\n", 2],
    ] as const)
      expect(() => edited(text, step)).toThrow(`src/a.ts has ${count} lines, not one, that say: const b = 2;`);
  });

  test("a recipe that creates a file which exists already is refused", () => {
    expect(() => edited("", edit("// src/a.ts"))).toThrow("src/a.ts exists already");
  });

  test("a message of a recipe that its command does not print is named", () => {
    expect(unkept(["a.ts(…): error: b is missing", "c is missing"], "a.ts(3,4): error: b is missing in type")).toEqual(["c is missing"]);
  });
});

/** Follows all recipes in one copy: each as far as its next command, then one run for all that wait for the same kind of command. */
async function followAll(all: readonly Recipe[], copy: ProjectCopy): Promise<void> {
  const ways = all.map(({ title, steps }) => ({ title, steps: [...steps] }));
  for (;;) {
    for (const way of ways) await advance(way, copy);
    const waiting = ways.flatMap((way) => {
      const [next] = way.steps;
      return next?.kind === "command" ? [{ way, next }] : [];
    });
    if (waiting.length === 0) return;
    const chosen = nextRun(waiting);
    await runFor(
      chosen.map(({ way, next }) => ({ title: way.title, ...next })),
      copy,
    );
    for (const { way } of chosen) way.steps.shift();
  }
}

/** Contracts are compiled first; then what must fail is run, as long as anything must; what must pass needs all that the others wrote. */
function nextRun<Way extends { next: Command }>(waiting: readonly Way[]): Way[] {
  const compiling = waiting.filter(({ next }) => kindOf(next) === 0);
  const failing = (compiling.length > 0 ? compiling : waiting).filter(({ next }) => next.promised.length > 0);
  const candidates = failing.length > 0 ? failing : compiling.length > 0 ? compiling : waiting;
  const kind = Math.min(...candidates.map(({ next }) => kindOf(next)));
  return candidates.filter(({ next }) => kindOf(next) === kind);
}

/** Writes what the recipe has one write before its next command. */
async function advance({ title, steps }: Recipe, copy: ProjectCopy): Promise<void> {
  for (let [next] = steps; next?.kind === "edit"; [next] = steps) {
    await copy.apply(next).catch((cause: Error) => {
      throw new Error(`${title}: ${cause.message}`, { cause });
    });
    steps.shift();
  }
}

/** Commands that differ in their last word alone are one run. Sorted in the order in which a recipe uses them. */
const kinds = [
  "make generate",
  "make pages",
  "git add ",
  "make check",
  "npx vitest run --config src/vitest.config.ts ",
  "make conformance ONLY=",
  "rm ",
];

function kindOf({ command }: Command): number {
  const kind = kinds.findIndex((start) => command.startsWith(start));
  if (kind === -1) throw new Error(`this test knows no command such as: ${command}`);
  return kind;
}

type Waiting = Command & { title: string };

async function runFor(waiting: readonly Waiting[], copy: ProjectCopy): Promise<void> {
  const command = merged(waiting);
  await copy.write(`${promisedTypes}/tsconfig.json`, typeCheckOf(waiting.flatMap(({ promised }) => promised)));
  const { code, output } = await copy.run(command);
  const where = waiting.map(({ title }) => title).join(", ");
  for (const { title, promised } of waiting) {
    const missing = unkept(promised, output);
    if (missing.length > 0) throw new Error(`${title}: ${command} does not say:\n${missing.join("\n")}\nbut:\n${output}`);
  }
  const fails = waiting.some(({ promised }) => promised.length > 0);
  if (!fails && /[1-9]\d* not run/.test(output)) throw new Error(`${where}: ${command} leaves rules out:\n${output}`);
  if ((code !== 0) !== fails) throw new Error(`${where}: ${command} ended with ${code}:\n${output}`);
  if (!fails && command.endsWith(" generate")) await copy.noteGenerated();
}

const promisedTypes = "node_modules/.cache/promised";

/** Settings of a type check of the files in which these lines name an error, and of what they import. */
function typeCheckOf(promised: readonly string[]): string {
  const files = promised.flatMap((line) => /^(\S+\.ts)\(…\): error /.exec(line)?.[1] ?? []).map((file) => `../../../${file}`);
  return JSON.stringify({ extends: "../../../tsconfig.json", compilerOptions: { tsBuildInfoFile: "tsbuildinfo" }, include: [], files });
}

/** One command for all: what is being looked at is that of each. A failing check needs only the steps and files that name what is missing. */
function merged(waiting: readonly Waiting[]): string {
  const [{ promised }, kind] = [waiting[0] as Waiting, kindOf(waiting[0] as Waiting)];
  const start = kinds[kind] as string;
  const last = [...new Set(waiting.map(({ command }) => command.slice(start.length)))];
  if (/^(?:npx|rm|git) /.test(start)) return start.replace("npx ", "") + last.join(" ");
  if (start.endsWith("ONLY=")) return `make -o install conformance SERVERS=1 ONLY='/${last.join("|")}/'`;
  if (start === "make check" && promised.length > 0)
    return `${typeCheck.join(" ")} --project ${promisedTypes}; types=$?; node spec/check/operations-main.ts && exit $types`;
  return start.replace("make", "make -o install");
}
