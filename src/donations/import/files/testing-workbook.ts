// Workbooks for tests, written from the XML of their parts.

import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

export type SheetParts = Readonly<{ name: string; rows: string; state?: string }>;

/** `rows`: the XML within `sheetData`. `parts`: others, or instead of those that are made. */
export function workbookOf(sheets: readonly SheetParts[], parts: Readonly<Record<string, string | Buffer>> = {}): Promise<Buffer> {
  const entries = sheets.map(
    ({ name, state }, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"${state ? ` state="${state}"` : ""}/>`,
  );
  const targets = sheets.map((_, at) => relation(`rId${at + 1}`, "worksheet", `worksheets/sheet${at + 1}.xml`));
  return zipOf({
    "_rels/.rels": relationsOf(relation("rId1", "officeDocument", "xl/workbook.xml")),
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${entries.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationsOf(
      ...targets,
      relation("rIdStyles", "styles", "styles.xml"),
      relation("rIdTexts", "sharedStrings", "sharedStrings.xml"),
    ),
    ...Object.fromEntries(sheets.map(({ rows }, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheetOf(rows)])),
    ...parts,
  });
}

export function zipOf(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  // The fastest compression, because some parts are tens of megabytes; none of small ones, because a test has ten thousand of them.
  for (const [path, text] of Object.entries(parts)) zip.addBuffer(Buffer.from(text), path, { compressionLevel: text.length > 100 ? 1 : 0 });
  zip.end();
  return buffer(zip.outputStream);
}

export function sheetOf(rows: string): string {
  return `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`;
}

export function relationsOf(...relations: readonly string[]): string {
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join("")}</Relationships>`;
}

export function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${relationships}/${type}" Target="${target}"/>`;
}

/** A row of inline texts and of numbers. */
export function rowOf(...cells: readonly (string | number)[]): string {
  const cellOf = (cell: string | number) =>
    typeof cell === "number" ? `<c><v>${cell}</v></c>` : `<c t="inlineStr"><is><t>${cell}</t></is></c>`;
  return `<row>${cells.map(cellOf).join("")}</row>`;
}
