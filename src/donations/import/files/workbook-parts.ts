// The parts of an XLSX workbook around its sheets (ECMA-376, part 1): which sheets there are and where, and the texts and number formats of
// their cells.

import { posix } from "node:path";
import { type Package, parseXml } from "./package.ts";

/** `path`: of the sheet's part in the package. */
export type Sheet = Readonly<{ name: string; isHidden: boolean; path: string }>;

/** `formats`: the number format of each cell style; undefined for General. `isCalculatedOnLoad`: its formulas may not have been calculated yet. */
export type Workbook = Readonly<{
  sheets: readonly Sheet[];
  date1904: boolean;
  isCalculatedOnLoad: boolean;
  texts: readonly string[];
  formats: readonly (string | undefined)[];
}>;

type Target = Readonly<{ type: string; path: string }>;
type Targets = ReadonlyMap<string, Target>;

/** A sheet for each day of some years; the header of each is compared. */
const maxSheets = 1_000;
/** Excel's limit is 65,490. */
const maxStyles = 100_000;

/** In the order of the tabs. Throws an Error for a file that is no workbook. */
export async function readWorkbookParts(parts: Package): Promise<Workbook> {
  const root = [...(await readTargets(parts, "")).values()].find(({ type }) => type === "officeDocument")?.path ?? "xl/workbook.xml";
  if (!parts.has(root) || root.endsWith(".bin"))
    throw new Error("the file is no XLSX workbook: open it in the program that made it, and save it as .xlsx or .csv");
  const targets = await readTargets(parts, root);
  const book = await readSheets(parts, root, targets);
  const pathOf = (wanted: string) => [...targets.values()].find(({ type }) => type === wanted)?.path;
  return { ...book, texts: await readTexts(parts, pathOf("sharedStrings")), formats: await readFormats(parts, pathOf("styles")) };
}

async function readSheets(parts: Package, root: string, targets: Targets): Promise<Omit<Workbook, "texts" | "formats">> {
  const sheets: Sheet[] = [];
  let [date1904, isCalculatedOnLoad] = [false, false];
  await parseXml(parts.read(root), {
    open: (name, attributes) => {
      if (name === "workbookPr") date1904 = isTrue(attributes.date1904);
      if (name === "calcPr") isCalculatedOnLoad = isTrue(attributes.fullCalcOnLoad);
      if (name !== "sheet") return;
      const target = targets.get(relationOf(attributes));
      if (target?.type !== "worksheet" || !parts.has(target.path)) return; // a sheet that is a chart
      sheets.push({ name: attributes.name ?? "", isHidden: !["visible", undefined].includes(attributes.state), path: target.path });
      if (sheets.length > maxSheets) throw new Error(`the workbook has more than ${maxSheets.toLocaleString("en")} sheets`);
    },
  });
  if (sheets.length === 0) throw new Error("the workbook has no sheets");
  return { sheets, date1904, isCalculatedOnLoad };
}

/** The value of an attribute that says yes or no. */
export function isTrue(attribute: string | undefined): boolean {
  return ["1", "true", "on"].includes(attribute ?? "");
}

/** The attribute `id` of the namespace of relationships, whose prefix is free. */
function relationOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1] ?? "";
}

/** What a part refers to, by the ids of the relationships. Types are compared by their last word: a strict workbook has others in front. */
async function readTargets(parts: Package, part: string): Promise<Targets> {
  const targets = new Map<string, Target>();
  const path = posix.join(posix.dirname(part), "_rels", `${posix.basename(part)}.rels`);
  if (!parts.has(path)) return targets;
  await parseXml(parts.read(path), {
    open: (name, { Id = "", Type = "", Target: target = "", TargetMode }) => {
      if (name !== "Relationship" || TargetMode === "External") return;
      targets.set(Id, { type: Type.slice(Type.lastIndexOf("/") + 1), path: posix.resolve("/", posix.dirname(part), target).slice(1) });
    },
  });
  return targets;
}

/** The texts of all sheets, by their index. Rich text is the text of its parts; readings (`rPh`) are left out. */
async function readTexts(parts: Package, path: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  if (path === undefined || !parts.has(path)) return texts;
  let [text, isText, isReading] = ["", false, false];
  await parseXml(parts.read(path), {
    open: (name) => {
      if (name === "si") text = "";
      else if (name === "rPh") isReading = true;
      else if (name === "t") isText = !isReading;
    },
    text: (part) => {
      if (isText) text = appendText(text, part);
    },
    close: (name) => {
      if (name === "si") texts.push(unescapeText(text));
      else if (name === "rPh") isReading = false;
      else if (name === "t") isText = false;
    },
  });
  return texts;
}

async function readFormats(parts: Package, path: string | undefined): Promise<(string | undefined)[]> {
  const codes = new Map(Object.entries(builtInFormats));
  const styles: string[] = [];
  let isCellStyle = false;
  if (path !== undefined && parts.has(path))
    await parseXml(parts.read(path), {
      open: (name, { numFmtId = "0", formatCode }) => {
        if (name === "numFmt" && formatCode !== undefined) codes.set(numFmtId, formatCode);
        else if (name === "cellXfs") isCellStyle = true;
        else if (name === "xf" && isCellStyle) styles.push(numFmtId);
        if (styles.length > maxStyles || codes.size > maxStyles) throw new Error("the workbook has too many styles");
      },
      close: (name) => {
        if (name === "cellXfs") isCellStyle = false;
      },
    });
  return styles.map((id) => codes.get(id)).map((code) => (code === "General" ? undefined : code));
}

/** Formats that a workbook names by their number alone (ECMA-376 18.8.30): the general ones, then those of Thai Excel as dates and times. */
const builtInFormats: Readonly<Record<string, string>> = {
  ...{ 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??" },
  ...{ 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss" },
  ...{ 22: "m/d/yyyy h:mm", 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)" },
  ...{ 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@", 71: "d/m/yyyy", 72: "d-mmm-yy", 73: "d-mmm", 74: "mmm-yy" },
  ...{ 75: "h:mm", 76: "h:mm:ss", 77: "d/m/yyyy h:mm", 78: "mm:ss", 79: "[h]:mm:ss", 80: "mm:ss.0", 81: "d/m/bb" },
};

/** Excel's limit. */
const maxCellText = 32_767;

/** A cell's text with its next part. Throws an Error above the length that a cell may have. */
export function appendText(text: string, part: string): string {
  if (text.length + part.length > maxCellText) throw new Error(`a cell is longer than ${maxCellText.toLocaleString("en")} characters`);
  return text + part;
}

/** Characters that XML cannot have are written `_x0000_` (ECMA-376 22.9.2.19). */
export function unescapeText(text: string): string {
  return text.replace(/_x([0-9a-fA-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
