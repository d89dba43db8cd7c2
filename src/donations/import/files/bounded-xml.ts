// Parses the XML of a workbook that somebody uploads. saxes keeps every open element and every attribute of the element that it reads, so a
// few kilobytes that are inflated to megabytes of them would fill the memory.

import { SaxesParser, type SaxesTagPlain } from "saxes";

/** Elements of a workbook nest about a dozen deep. */
const maxDepth = 100;
const maxAttributes = 100;

export type XmlHandlers = Readonly<{
  open: (tag: SaxesTagPlain) => void;
  text: (part: string) => void;
  close: (tag: SaxesTagPlain) => void;
}>;

/** Throws an Error for what is no XML, and for what nests deeper or has more attributes than anything in a workbook. */
export function boundedParser({ open, text, close }: XmlHandlers): SaxesParser {
  const parser = new SaxesParser();
  let depth = 0;
  let attributes = 0;
  parser.on("opentagstart", () => {
    depth += 1;
    attributes = 0;
    if (depth > maxDepth) throw new Error("the workbook's XML nests too deep");
  });
  parser.on("attribute", () => {
    attributes += 1;
    if (attributes > maxAttributes) throw new Error("an element of the workbook has too many attributes");
  });
  parser.on("opentag", open);
  parser.on("text", text);
  parser.on("closetag", (tag) => {
    depth -= 1;
    close(tag);
  });
  return parser;
}
