// Downloads an export and reads it with SheetJS.

import { type CellObject, read, utils, type WorkBook, type WorkSheet } from "@e965/xlsx";
import { SaxesParser } from "saxes";
import { expect } from "vitest";
import { endAsNotRun } from "../values/running.ts";
import { target } from "../values/target.ts";
import { type Query, queryText } from "./api.ts";

/** An exported file, read by SheetJS. A row holds the cells of one donation by the title of their column. `texts`: those of its sheets as XML. */
export type Export = { rows: Row[]; summary: Record<string, CellObject | undefined>; texts: () => string[] };
export type Row = Record<string, CellObject | undefined>;

export const exportPath = (query: Query = {}): string => `/api/v1/donations/export${queryText(query)}`;

/** Downloads and reads an export of the streamer whose key it is. `server`: if not the server under test. */
export async function exported(query: Query = {}, key = target().keys.main, server = target().url): Promise<Export> {
  const reply = await download(query, key, { server });
  expect(reply.status).toBe(200);
  const book = read(await reply.arrayBuffer(), { cellNF: true, bookFiles: true });
  const names = book.SheetNames.slice(0, -1);
  if (target().foreign)
    requireKnownTitles([...names, book.SheetNames.at(-1) ?? ""].map((name) => titlesOf(book.Sheets[name] as WorkSheet)));
  const summary = rowsOf(book.Sheets.Summary as WorkSheet);
  return {
    rows: names.flatMap((name) => rowsOf(book.Sheets[name] as WorkSheet)),
    summary: Object.fromEntries(summary.map(({ Summary, Value }) => [String(Summary?.v), Value])),
    texts: () => textParts(book).flatMap(xmlTexts),
  };
}

/** The parts of a workbook that hold texts: its sheets, and the texts that sheets share. */
function textParts(book: WorkBook): string[] {
  const { files } = book as { files?: Record<string, { content: Uint8Array }> };
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  const found = Object.entries(files ?? {}).filter(([name]) => /^\/?xl\/(worksheets\/[^/]+|sharedStrings)\.xml$/i.test(name));
  return found.map(([, { content }]) => utf8.decode(content));
}

type Options = { server?: string; signal?: AbortSignal };

export const download = (query: Query = {}, key = target().keys.main, { server = target().url, signal }: Options = {}): Promise<Response> =>
  fetch(server + exportPath(query), { headers: { Authorization: `Bearer ${key}` }, ...(signal && { signal }) });

/** The contract names neither columns nor sheets, so that another server's may have other titles: then the rule is not run. */
function requireKnownTitles(sheets: string[][]): void {
  const [known, summary] = [sheets.slice(0, -1).every((titles) => titles.includes("Donation id")), sheets.at(-1)?.includes("Summary")];
  if (sheets.length > 1 && known && summary) return;
  endAsNotRun("the contract names no columns of an export, and this server's have other titles than ours");
}

function titlesOf(sheet: WorkSheet): string[] {
  const { e: end } = utils.decode_range(sheet["!ref"] ?? "A1");
  return Array.from({ length: end.c + 1 }, (_, column) => String(sheet[utils.encode_cell({ r: 0, c: column })]?.v).replace(/ \(.*\)$/, ""));
}

function rowsOf(sheet: WorkSheet): Row[] {
  const { e: end } = utils.decode_range(sheet["!ref"] ?? "A1");
  const cell = (row: number, column: number): CellObject | undefined => sheet[utils.encode_cell({ r: row, c: column })];
  const titles = titlesOf(sheet);
  return Array.from({ length: end.r }, (_, row) => Object.fromEntries(titles.map((title, column) => [title, cell(row + 1, column)])));
}

// Reads the texts of a sheet as XML defines them: unlike SheetJS, which takes characters that no XML may contain, and keeps a carriage return.

/** The contents of all elements `t`, in order. Throws an Error for what is no well-formed XML 1.0. */
function xmlTexts(xml: string): string[] {
  const texts: string[] = [];
  const parser = new SaxesParser();
  let text: string | null = null;
  parser.on("opentag", ({ name }) => {
    if (name === "t") text = "";
  });
  parser.on("text", (part) => {
    if (text !== null) text += part;
  });
  parser.on("closetag", ({ name }) => {
    if (name === "t" && text !== null) texts.push(withoutEscapes(text));
    if (name === "t") text = null;
  });
  parser.write(xml).close();
  return texts;
}

/** `_x000D_` stands for a carriage return (ECMA-376 Part 1, 22.9.2.19). */
const withoutEscapes = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)));
