// Writes the XML of an XLSX workbook (ECMA-376, part 1), and instants as cells in local time. Pure. Text is inline and has the
// format "text", so that it never becomes a formula, not even after somebody has edited the cell. Read back in the same time zone, a cell with
// an instant is the same instant.

import { formatEdge } from "../../base/instant.ts";
import { msPerDay, zoneOf } from "../../base/local-days.ts";

/** A text, a number, a date of `dateCells`, or an empty cell. `tally` is a number without decimals. */
export type Cell = Readonly<{ kind: "text"; value: string } | { kind: "amount" | "tally" | "date"; value: number } | { kind: "empty" }>;

export type Column = Readonly<{ title: string; width: number }>;

/** Excel's limit of rows in a sheet, header included. */
export const maxSheetRows = 1_048_576;

const styles = { plain: 0, date: 1, amount: 2, text: 3, header: 4, tally: 5 } as const;
const namespace = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Characters that XML 1.0 forbids or changes (CR becomes LF), and texts that would be read as their escapes. */
const escapedAsHex = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=[xX][0-9a-fA-F]{4}_)/g;

export function text(value: string | null): Cell {
  return value === null || value === "" ? { kind: "empty" } : { kind: "text", value };
}

/** The beginning of a sheet: column widths, and a header row that stays visible. */
export function sheetHead(columns: readonly Column[]): string {
  const widths = columns.map(({ width }, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`);
  const titles = columns.map(({ title }, index) => inline(title, `${letter(index)}1`, styles.header));
  return (
    `${declaration}<worksheet ${namespace}><sheetViews><sheetView workbookViewId="0">` +
    `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
    `<cols>${widths.join("")}</cols><sheetData><row r="1">${titles.join("")}</row>`
  );
}

/** `number` counts from 1; the header is row 1. */
export function sheetRow(number: number, cells: readonly Cell[]): string {
  let row = `<row r="${number}">`;
  for (let index = 0; index < cells.length; index += 1) row += cell(cells[index] as Cell, letter(index) + number);
  return `${row}</row>`;
}

/** The end of a sheet with this many rows, header included. The header has filter buttons. */
export function sheetFoot(columns: readonly Column[], rows: number): string {
  return `</sheetData><autoFilter ref="A1:${letter(columns.length - 1)}${rows}"/></worksheet>`;
}

/** All parts of the workbook except its sheets, by name. Sheet n is `xl/worksheets/sheet<n>.xml`. */
export function workbookParts(sheetNames: readonly string[]): Record<string, string> {
  const sheets = sheetNames.map((name, index) => ({ name: escapeText(name), id: index + 1 }));
  const styleId = sheets.length + 1;
  return {
    "xl/workbook.xml":
      `${declaration}<workbook ${namespace} xmlns:r="${relationships}"><sheets>` +
      `${sheets.map(({ name, id }) => `<sheet name="${name}" sheetId="${id}" r:id="rId${id}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationshipsOf([
      ...sheets.map(({ id }): [number, string, string] => [id, "worksheet", `worksheets/sheet${id}.xml`]),
      [styleId, "styles", "styles.xml"],
    ]),
    "xl/styles.xml": styleSheet,
    "_rels/.rels": relationshipsOf([[1, "officeDocument", "xl/workbook.xml"]]),
    "[Content_Types].xml":
      `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Default Extension="xml" ContentType="application/xml"/>' +
      contentType("xl/workbook.xml", "sheet.main") +
      contentType("xl/styles.xml", "styles") +
      `${sheets.map(({ id }) => contentType(`xl/worksheets/sheet${id}.xml`, "worksheet")).join("")}</Types>`,
  };
}

/** Escapes a text so that a spreadsheet reads back exactly the same text. */
export function escapeText(value: string): string {
  return value
    .replace(escapedAsHex, (bad) => (bad === "_" ? "_x005F_" : bad === "\t" || bad === "\n" ? bad : hex(bad)))
    .replace(/[&<>"]/g, (mark) => entities[mark] as string);
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function hex(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
}

function cell(one: Cell, place: string): string {
  if (one.kind === "empty") return "";
  if (one.kind === "text") return inline(one.value, place, styles.text);
  return `<c r="${place}" s="${styles[one.kind]}"><v>${one.value}</v></c>`;
}

function inline(value: string, place: string, style: number): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeText(value)}</t></is></c>`;
}

function letter(index: number): string {
  return String.fromCharCode(65 + index); // our sheets have fewer than 26 columns
}

function relationshipsOf(targets: readonly (readonly [id: number, type: string, target: string])[]): string {
  const lines = targets.map(([id, type, target]) => `<Relationship Id="rId${id}" Type="${relationships}/${type}" Target="${target}"/>`);
  return `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${lines.join("")}</Relationships>`;
}

function contentType(part: string, kind: string): string {
  return `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
}

/**
 * In the order of `styles`. [$-409] keeps years Gregorian for readers with a Buddhist calendar; 49 is "text". Milliseconds are displayed,
 * because spreadsheets round hidden digits, possibly up into the next day.
 */
const formats = [
  'numFmtId="0"',
  'numFmtId="164"',
  'numFmtId="4"',
  'numFmtId="49"',
  'numFmtId="49" fontId="1" applyFont="1"',
  'numFmtId="3"',
];
const styleSheet =
  `${declaration}<styleSheet ${namespace}>` +
  '<numFmts count="1"><numFmt numFmtId="164" formatCode="[$-409]yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${formats.length}">${formats.map((format) => `<xf ${format} xfId="0" applyNumberFormat="1"/>`).join("")}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

/** 1900-01-01 and 9999-12-31T23:59:59.999, local. */
const first = Date.UTC(1900, 0, 1);
const last = Date.UTC(10_000, 0, 1) - 1;
/** Excel counts 1900-02-29, which did not exist, so earlier days have a number that is one less. */
const firstDayAfterLeapYearBug = Date.UTC(1900, 2, 1);
const dayZero = Date.UTC(1899, 11, 30);

export type DateCells = (ms: number) => Cell;

/**
 * Returns the function that converts an instant into a cell in local time. A date outside 1900 to 9999 becomes text, and a local time that
 * comes a second time, because clocks were set back, a date-time of the contract.
 */
export function dateCells(timezone: string): DateCells {
  const { offsetAt, offsetOfDay } = zoneOf(timezone);
  return (ms) => {
    const day = Math.floor(ms / msPerDay);
    const isSteady = offsetOfDay(day) === offsetOfDay(day + 1) && offsetOfDay(day) === offsetOfDay(day - 1);
    const local = ms + (isSteady ? offsetOfDay(day) : offsetAt(ms));
    if (!isSteady && isRepeated(local, ms, offsetAt)) return { kind: "text", value: formatEdge(ms) };
    if (local < first || local > last) return { kind: "text", value: textOf(local) };
    return { kind: "date", value: (local - dayZero) / msPerDay - (local < firstDayAfterLeapYearBug ? 1 : 0) };
  };
}

/** Whether an earlier instant has the same local time: clocks were set back. */
function isRepeated(local: number, ms: number, offsetAt: (ms: number) => number): boolean {
  const before = local - offsetAt(local - msPerDay);
  return before < ms && before + offsetAt(before) === local;
}

/** The local date as `2026-11-20`; years before 0 have a minus sign. */
export function localDay(ms: number, timezone: string): string {
  return textOf(ms + zoneOf(timezone).offsetAt(ms)).slice(0, -timeLength);
}

const timeLength = " 00:00:00.000".length;

/** A local time, given as if it were UTC, as `2026-11-20 19:30:00.000`. */
function textOf(local: number): string {
  const text = new Date(local).toISOString().replace("T", " ").replace("Z", "");
  return text.replace(/^-00/, "-").replace(/^\+0/, ""); // years before 0 and after 9999 have a sign and six digits
}
