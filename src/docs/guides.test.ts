import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { asMarkdown, boundsOf, fillIn, parseGuide, readGuides, samplesOf, sampleValues, slugs } from "./guides.ts";
import { headingsOf } from "./markdown.ts";
import { readDocument } from "./published-contract.ts";

const document = readDocument();
const { en: guides, th } = readGuides(document, "https://donations.example");

test("every guide is published with title and description, and without a placeholder", () => {
  expect(guides.map(({ slug }) => slug)).toEqual([...slugs]);
  for (const { slug, title, description, markdown } of guides) {
    expect(title.length * description.length, slug).toBeGreaterThan(0);
    if (slug !== "changelog") expect(markdown, slug).not.toContain("{{");
  }
});

test("placeholders are filled everywhere in a guide, and an unknown one is named with its guide", () => {
  const values = { "base-url": () => "http://x", scopes: () => "a table" };
  expect(fillIn("g", "at {{base-url}}/docs\n\n{{scopes}}\n", values)).toBe("at http://x/docs\n\na table\n");
  expect(() => fillIn("g", "{{nothing}}", values)).toThrow(/guides\/g\.md: there is no {{nothing}}; there are base-url, scopes/);
  expect(() => fillIn("g", "{{toString}}", values)).toThrow("{{toString}}");
});

test("a guide must begin with a title and a paragraph", () => {
  expect(parseGuide("g", "# The title\n\nOne\ntwo.\n\nMore.\n")).toMatchObject({ title: "The title", description: "One two." });
  for (const wrong of ["Text\n", "# Title\n", "# Title\n\n## Heading\n", "# Title\n\n| a |\n", "## Title\n\nText.\n"])
    expect(() => parseGuide("g", wrong), wrong).toThrow("the guide g");
});

test("links between guides point to Markdown in a guide's Markdown form, and other links stay as they are", () => {
  const markdown = "[a](scopes) [b](errors#rate_limited) [c](./) [d](reference) [e](openapi.json) [f](https://x.example/scopes) [g](#here)";
  expect(asMarkdown({ slug: "index", language: "en", title: "", description: "", markdown })).toBe(
    "[a](scopes.md) [b](errors.md#rate_limited) [c](index.md) [d](reference) [e](openapi.json) [f](https://x.example/scopes) [g](#here)",
  );
});

const withNote = (note: object): typeof document => {
  const { ExternalDonation } = document.components.schemas;
  const schemas = {
    ...document.components.schemas,
    note,
    ExternalDonation: { properties: { note: { $ref: "#/components/schemas/note" } } },
  };
  return {
    ...document,
    components: { ...document.components, schemas: { ...schemas, ExternalDonation: { ...ExternalDonation, ...schemas.ExternalDonation } } },
  };
};

test.each([
  [{ minLength: 2, maxLength: 3000 }, { note: "2 to 3,000 characters" }],
  [{ maxLength: 7 }, { note: "at most 7 characters" }],
  [{ exclusiveMinimum: 0, maximum: 5000 }, { note: "above 0, at most 5,000" }],
  [{ type: "boolean" }, {}],
])("the bounds of a member with %j are described in words", (note, words) => expect(boundsOf(withNote(note))).toEqual(words));

test("the members of interface 2.1 that have bounds have them described in words", () =>
  expect(Object.keys(boundsOf(document))).toEqual(
    expect.arrayContaining(["donatorName", "amount", "message", "identifier", "idempotencyKey"]),
  ));

const translations = th.filter(({ language }) => language === "th").map((guide) => [guide.slug, guide] as const);

test("the samples of a guide are its blocks of code with the notes of what they print", () => {
  const markdown = "Text\n\n```sh\na\n\nb\n```\n<!-- prints: c -->\n\nText\n\n```js\nd\n```\n";
  expect(samplesOf(markdown)).toEqual(["```sh\na\n\nb\n```\n<!-- prints: c -->", "```js\nd\n```"]);
});

test("a translation that has more or fewer samples than its original is refused by name", () => {
  const original = "```sh\na\n```\n";
  const values = sampleValues("quickstart.th", original);
  expect(values.end).toThrow("src/docs/guides/quickstart.th.md has fewer {{sample}} than the original has samples (1)");
  expect(values.next()).toBe("```sh\na\n```");
  expect(values.end).not.toThrow();
  expect(values.next).toThrow("src/docs/guides/quickstart.th.md has more {{sample}}");
});

test("the quickstart is translated", () => expect(translations.map(([slug]) => slug)).toContain("quickstart"));

test.each(translations)(
  "the translation of %s has the code, the headings and the links of its original, and no code of its own",
  (_, guide) => {
    const { markdown, original } = guide;
    if (!original) throw new Error("a translation has an original");
    expect(samplesOf(markdown)).toEqual(samplesOf(original.markdown));
    const levels = (text: string) => headingsOf(text).map(({ level }) => level);
    expect(levels(markdown)).toEqual(levels(original.markdown));
    const linksOf = (text: string) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link).sort();
    expect(linksOf(markdown)).toEqual(linksOf(original.markdown));
    const namesOf = (text: string) =>
      new Set([...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, name]) => name));
    expect(namesOf(markdown)).toEqual(namesOf(original.markdown));
  },
);

const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
const headings = (level: string) => changelog.split("\n").filter((line) => line.startsWith(`${level} `));

test("CHANGELOG.md is shorter than 10 KB", () => {
  expect(Buffer.byteLength(changelog)).toBeLessThan(10 * 1024);
});

test("each section of CHANGELOG.md is Unreleased, or a version with its day", () => {
  expect(headings("##").filter((line) => !/^## (?:Unreleased|\d+\.\d+\.\d+ – \d{4}-\d{2}-\d{2})$/.test(line))).toEqual([]);
});

test("changes stand in CHANGELOG.md under the headings of Keep a Changelog, or Breaking", () => {
  const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Breaking"];
  expect(headings("###").filter((line) => !known.includes(line.slice(4)))).toEqual([]);
});

// The tables that guides write by hand have a row for everything that the contract names, and no other.

/** The cells of each row of the table of a guide whose head begins with these cells. */
function rowsOf(guide: string, ...head: string[]): string[][] {
  const { markdown = "" } = guides.find(({ slug }) => slug === guide) ?? {};
  const tables = markdown.split(/\n\n/).map((block) => block.split("\n").filter((line) => line.startsWith("|")));
  const cells = (line: string): string[] =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
  const table = tables.find(([first = ""]) => cells(first).slice(0, head.length).join() === head.join());
  if (!table) throw new Error(`${guide}.md has no table of ${head.join(", ")}`);
  return table.slice(2).map(cells);
}

/** The names in the first cells, which stand between backquotes. */
const named = (rows: string[][]): string[] =>
  rows.flatMap(([first = ""]) => [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ""));

const valuesOf = (schema: string): string[] => (document.components.schemas[schema] as { enum: string[] }).enum;

test("the guide of events has a row for each type of event, with the scope that lets read what it is about", () => {
  const rows = rowsOf("events", "type", "when", "scope");
  expect(named(rows)).toEqual(valuesOf("EventType"));
  expect(rows.map(([, , scope]) => scope)).toEqual(
    valuesOf("EventType").map((type) => (type.startsWith("donation.") ? "`read:donations`" : "`read:alerts`")),
  );
});

test("the guide of the overlay has a row for each page: alerts, and every kind of widget", () => {
  const pages = ["/overlay/", ...valuesOf("WidgetKind").map((kind) => `/overlay/${kind}`)];
  expect(named(rowsOf("overlay", "page", "shows"))).toEqual(pages);
});

test("the guide of the overlay has a row for each event of the overlay's stream", () => {
  const { anyOf } = document.components.schemas.OverlayEvent as { anyOf: { $ref: string }[] };
  const kinds = anyOf.map(({ $ref }) => $ref.replace(/^.*\/(\w+)Event$/, "$1").toLowerCase());
  expect(named(rowsOf("overlay", "event", "data")).sort()).toEqual(kinds.sort());
});

test("the guide of errors has a row for each code of a fault", () =>
  expect(named(rowsOf("errors", "code", "the member or parameter"))).toEqual(valuesOf("FaultCode")));
