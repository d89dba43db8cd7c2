// Texts of a workbook's cells.

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
