import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { typeCheck } from "../../../spec/check/steps.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";
import { type Command, type Edit, edited, type Recipe, readRecipes, unkept } from "./recipe-book.ts";

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
const kinds = ["make generate", "make pages", "make check", "npx vitest run --config src/vitest.config.ts ", "make conformance ONLY="];

function kindOf({ command }: Command): number {
  const kind = kinds.findIndex((start) => command.startsWith(start));
  if (kind === -1) throw new Error(`this test knows no command such as: ${command}`);
  return kind;
}

type Waiting = Command & { title: string };

async function runFor(waiting: readonly Waiting[], copy: ProjectCopy): Promise<void> {
  const command = merged(waiting);
  const { code, output } = await copy.run(command);
  const where = waiting.map(({ title }) => title).join(", ");
  for (const { title, promised } of waiting) {
    const missing = unkept(promised, output);
    if (missing.length > 0) throw new Error(`${title}: ${command} does not say:\n${missing.join("\n")}\nbut:\n${output}`);
  }
  const fails = waiting.some(({ promised }) => promised.length > 0);
  if (!fails && /[1-9]\d* not run/.test(output)) throw new Error(`${where}: ${command} leaves rules out:\n${output}`);
  if ((code !== 0) !== fails) throw new Error(`${where}: ${command} ended with ${code}:\n${output}`);
}

/** One command for all: what is being looked at is that of each. A failing check needs only the steps that name what is missing. */
function merged(waiting: readonly Waiting[]): string {
  const [{ promised }, kind] = [waiting[0] as Waiting, kindOf(waiting[0] as Waiting)];
  const start = kinds[kind] as string;
  const last = [...new Set(waiting.map(({ command }) => command.slice(start.length)))];
  if (start.startsWith("npx")) return start.replace("npx ", "") + last.join(" ");
  if (start.endsWith("ONLY=")) return `make -o install conformance SERVERS=1 ONLY='/${last.join("|")}/'`;
  if (start === "make check" && promised.length > 0)
    return `${typeCheck.join(" ")}; types=$?; node spec/check/operations-main.ts && exit $types`;
  return start.replace("make", "make -o install");
}
