// The tables that guides write by hand have a row for everything that the contract names, and no other.

import { expect, test } from "vitest";
import { readGuides } from "./guides.ts";
import { readDocument } from "./published-contract.ts";

const document = readDocument();
const { en } = readGuides(document, "https://donations.example");

/** The cells of each row of the table of a guide whose head begins with these cells. */
function rowsOf(guide: string, ...head: string[]): string[][] {
  const { markdown = "" } = en.find(({ slug }) => slug === guide) ?? {};
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
