import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, createSourceFile, formatDiagnostic, NodeHost } from "@typespec/compiler";
import { expect, test } from "vitest";
import { checkout } from "../../suite/contract/sources.ts";
import { applyEdit } from "../mutants/mutant.ts";
import { cases, type Edit, lone } from "./contract-mistakes.ts";

// Mistakes in spec/: the compiler, and with it `make generate`, must report each one with file, line and what to write.

/** Compiles the contract with these edits. Resolves to its diagnostics as the command line prints them. */
async function compileEdited(edits: readonly Edit[]): Promise<string[]> {
  const texts = editedTexts(edits);
  const host: typeof NodeHost = {
    ...NodeHost,
    readFile: async (name) => {
      const text = texts.get(name);
      return text === undefined ? NodeHost.readFile(name) : createSourceFile(text, name);
    },
    mkdirp: async () => undefined,
    writeFile: async () => {},
  };
  const program = await compile(host, `${checkout}/spec/main.tsp`, {
    emit: ["./lib/emitter.ts"],
    options: { namjai: { "emitter-output-dir": "/nowhere", "openapi-versions": ["3.1.0"], "omit-unreachable-types": true } },
  });
  return program.diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, { pretty: false }));
}

const pathOf = ({ file }: Edit): string => join(checkout, "spec", file);

/** The edited files by path. Throws when an edit does not fit a text that the edits before it have left. */
function editedTexts(edits: readonly Edit[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const edit of edits) texts.set(pathOf(edit), applyEdit(texts.get(pathOf(edit)) ?? readFileSync(pathOf(edit), "utf8"), edit));
  return texts;
}

/** Line number of a text in a file after the edits. */
function lineOf(edits: readonly Edit[], edit: Edit, about: string): number {
  const text = editedTexts(edits).get(pathOf(edit)) ?? "";
  return text.slice(0, text.indexOf(about)).split("\n").length;
}

test("the contract compiles without diagnostics", async () => expect(await compileEdited([])).toEqual([]));

test.each(['@pattern("^a$")', '@format("uri")', "@donatorText(true)", "@donatorText(false)"])(
  "free text with %s needs no further decision about donators",
  async (words) => {
    const scalar = { file: "search.tsp", from: "@donatorText(false)\nscalar searchText", to: `${words}\nscalar searchText` };
    const member = { file: "account.tsp", from: "@donatorText(false)\n  handle", to: `${words}\n  handle` };
    expect(await compileEdited([scalar, member])).toEqual([]);
  },
);

/** Mistakes that are made at once: each in a file of its own, so that no other one changes what is said of it. */
type Group = { edits: Edit[]; said: () => Promise<string[]> };

const groups: Group[] = [];

/** The first group without a mistake in this file. It is compiled once, after all mistakes have found their groups. */
function groupFor(edit: Edit): Group {
  let group = groups.find(({ edits }) => edits.every(({ file }) => file !== edit.file));
  if (!group) groups.push((group = newGroup([])));
  group.edits.push(edit);
  return group;
}

function newGroup(edits: Edit[]): Group {
  let compiled: Promise<string[]> | undefined;
  return { edits, said: () => (compiled ??= compileEdited(edits)) };
}

type Grouped = { edit: Edit; about: string; said: RegExp; group: Group };

const grouped: [title: string, one: Grouped][] = [
  ...cases.map(([title, edit, about, said]): [string, Grouped] => [title, { edit, about, said, group: groupFor(edit) }]),
  ...lone.map(([title, edit, about, said]): [string, Grouped] => [title, { edit, about, said, group: newGroup([edit]) }]),
];

test.each(grouped)("%s is reported with file and line", async (_title, { edit, about, said, group }) => {
  const found = (await group.said()).find((line) => said.test(line));
  expect(found).toMatch(said);
  expect(found).toContain(`spec/${edit.file}:${lineOf(group.edits, edit, about)}:`);
});
