// What make check says of the contract: mistakes in it, and what it has and no rule names.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, createSourceFile, formatDiagnostic, NodeHost } from "@typespec/compiler";
import { expect, test } from "vitest";
import { unnamedIn } from "../../../spec/check/unnamed.ts";
import { contract, type Schema } from "../../suite/contract/contract.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { applyEdit } from "../mutants/mutant.ts";
import { type Case, cases, type Edit } from "./contract-mistakes.ts";
import { namesAndValues } from "./mistaken-names-and-values.ts";
import { requestsAndAnswers } from "./mistaken-requests-and-answers.ts";

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

test.each(['@pattern("^.+$")', '@format("uri") @pattern("^.+$")', "@donatorText(true)", "@donatorText(false)"])(
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

/** Mistakes that are compiled alone: after the first no other is looked for, and the second is looked for where there is no other. */
const lone: Case[] = [
  [
    "a rate limit that lets no request pass",
    { file: "limits.tsp", from: "burst: 120, per", to: "burst: 0, per" },
    "@tokenBucket(#{ quota: 600, window: 60, burst: 0, per",
    /'\{ quota: 600, window: 60, burst: 0, per: "overlay key" \}' is not assignable to parameter of type '.*\{ quota: .*, window: .*, burst: .*, per: string, perStreamer: /,
  ],
  [
    "an option that @mcpTool does not have",
    { file: "search.tsp", from: "@mcpTool\n", to: "@mcpTool(#{ readOnly: true })\n" },
    "@mcpTool(#{ readOnly",
    /'\{ readOnly: true \}' is not assignable to parameter of type '.*\{ required: string\[\], idempotent: boolean, destructive: boolean \}'/,
  ],
  [
    "a problem code without a remedy",
    { file: "errors.tsp", from: `    remedy: "Send one JSON object in UTF-8. Retrying the same bytes does not help.",\n`, to: "" },
    '@problem(#{\n    status: 400,\n    title: "The body is not JSON',
    /is not assignable to parameter of type '.*\{ status: int32, title: string, when: string, remedy: string, detail: string \}'/,
  ],
  [
    "an operation whose bucket is not declared",
    { file: "account.tsp", from: "RateLimit.read", to: "RateLimit.raed" },
    "RateLimit.raed",
    /doesn't have member raed/,
  ],
  [
    "a member that the example of a donation lacks",
    { file: "donations.tsp", from: "  voided: null,\n};", to: "};" },
    "const exampleDonation",
    /Property 'voided' is missing on type/,
  ],
  [
    "an answer without an example",
    { file: "erasure.tsp", from: "@example(#{ dryRun: true, donations: 12, speeches: 0, answers: 0 })\n", to: "" },
    "op eraseDonator(",
    /eraseDonator 200 has no example: add @example/,
  ],
  [
    "a file that is not imported",
    { file: "main.tsp", from: 'import "./erasure.tsp";\n', to: "" },
    "import ",
    /spec\/erasure\.tsp is no part of the contract: add import "\.\/erasure\.tsp"; to spec\/main\.tsp, or delete the file/,
  ],
];

type Grouped = { edit: Edit; about: string; said: RegExp; group: Group };

const grouped: [title: string, one: Grouped][] = [
  ...[...cases, ...namesAndValues, ...requestsAndAnswers].map(([title, edit, about, said]): [string, Grouped] => [
    title,
    { edit, about, said, group: groupFor(edit) },
  ]),
  ...lone.map(([title, edit, about, said]): [string, Grouped] => [title, { edit, about, said, group: newGroup([edit]) }]),
];

test.each(grouped)("%s is reported with file and line", async (_title, { edit, about, said, group }) => {
  const found = (await group.said()).find((line) => said.test(line));
  expect(found).toMatch(said);
  expect(found).toContain(`spec/${edit.file}:${lineOf(group.edits, edit, about)}:`);
});

type Addition = (document: { paths: Record<string, Record<string, Schema>>; components: { schemas: Record<string, Schema> } }) => unknown;

/** What is named after an edit of the published contract. */
function namedAfter(edit: Addition): string[] {
  const document = structuredClone(contract);
  edit(document as Parameters<Addition>[0]);
  return unnamedIn(document);
}

const addParameter =
  (path: string, name: string): Addition =>
  ({ paths }) => {
    const operation = paths[path]?.get as { parameters: Schema[] };
    operation.parameters.push({ name, in: "query", schema: { type: "boolean" } });
  };

test.each<[string, Addition, RegExp]>([
  [
    "a new parameter of a list",
    addParameter("/api/v1/donations", "hasMessageText"),
    /^listDonations takes the parameter hasMessageText, which no rule names.*conformance\/rules\/donations\/list-donations\.test\.ts/,
  ],
  [
    "a parameter whose name is a word of rules of other operations",
    addParameter("/api/v1/streaming-categories", "reason"),
    /^listStreamingCategories takes the parameter reason/,
  ],
  [
    "a new member of an answer",
    ({ components }) => Object.assign(components.schemas.StreamingCategory?.properties as Schema, { popularityRank: { type: "integer" } }),
    /^StreamingCategory has the member popularityRank, which no rule names/,
  ],
  [
    "a new type of event",
    ({ components }) => (components.schemas.EventType as { enum: string[] }).enum.push("donation.tagged"),
    /^The type of event donation\.tagged is named by no rule/,
  ],
  [
    "a new problem code",
    (document) => Object.assign((document as unknown as { "x-problems": Schema })["x-problems"], { too_early_today: {} }),
    /^The problem code too_early_today is named by no rule/,
  ],
])("%s that no rule names is reported", (_, edit, said) => expect(namedAfter(edit)).toEqual([expect.stringMatching(said)]));

test("a new member of createDonation's body needs no rule of its own: rules of all members follow it", () => {
  const tip: Addition = ({ components }) => {
    for (const schema of ["ExternalDonation", "Donation"])
      Object.assign(components.schemas[schema]?.properties as Schema, { withTipJar: { type: "boolean", default: false } });
  };
  expect(namedAfter(tip)).toEqual([]);
});
