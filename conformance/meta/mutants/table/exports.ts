// Mutants of the export.

import type { Edit, Mutants } from "../mutant.ts";

const inReports = (file: string, from: string, to: string): Edit => ({ file: `src/reports/${file}.ts`, from, to });
const inHistory = (from: string, to: string): Edit => ({ file: "src/donations/export/history.ts", from, to });

export const exports: Mutants = {
  "row-lost": {
    broken: "an export lacks the last donation of each batch",
    edit: inHistory("if (matches.length > 0) yield matches;", "if (matches.length > 1) yield matches.slice(0, -1);"),
    killedBy: [["donations/export-donations", /holds what the list holds/]],
  },
  formula: {
    broken: "a text that begins like a formula is exported as a formula",
    edit: inReports(
      "../donations/export/workbook-xml",
      'if (one.kind === "text") return inline(',
      'if (one.kind === "text" && one.value.startsWith("=")) return `<c r="${place}"><f>${escapeText(one.value.slice(1))}</f></c>`;\n  if (one.kind === "text") return inline(',
    ),
    killedBy: [["donations/export-donations", /as that very text/]],
  },
  "escape-unescaped": {
    broken: "a text that looks like a spreadsheet's escape sequence is exported unescaped",
    edit: inReports("../donations/export/workbook-xml", "|_(?=[xX][0-9a-fA-F]{4}_)/g", "/g"),
    killedBy: [["donations/export-donations", /as that very text/]],
  },
  "dates-of-utc": {
    broken: "the dates of an export are in UTC",
    edit: inReports(
      "../donations/export/export-donations",
      "const toDate = dateCells(query.timezone);",
      'const toDate = dateCells("UTC");',
    ),
    killedBy: [["donations/export-donations", /as a date that reads/]],
  },
  "phantom-day": {
    broken: "the first two months of 1900 are exported a day late, because spreadsheets count 29 February 1900, which did not exist",
    edit: inReports("../donations/export/workbook-dates", "(local < firstDayAfterLeapYearBug ? 1 : 0)", "(local < first ? 1 : 0)"),
    killedBy: [["donations/export-donations", /as a date that reads/]],
  },
  "keys-in-the-file": {
    broken: "an export contains other applications' idempotency keys",
    edit: inHistory("case when d.application_id = ? then", "case when d.application_id = ? or true then"),
    killedBy: [["donations/export-donations", /hides another application's idempotency keys/]],
  },
  "export-of-names-alone": {
    broken: "an export with a text search looks into names alone",
    edit: inHistory("findMatches(passed, term)", 'findMatches(passed.map((row) => ({ ...row, message: "", identifier: null })), term)'),
    killedBy: [["donations/export-donations", /has what the search finds/]],
  },
  "sum-of-the-shown": {
    broken: "the exact sum of an export is rounded to satang",
    edit: inReports("../donations/export/export-donations", "text(digits(total))", "text(toNumber(total).toFixed(2))"),
    killedBy: [["donations/export-donations", /their exact sum/]],
  },
};
