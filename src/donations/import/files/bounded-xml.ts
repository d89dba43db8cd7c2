// Parses the XML of a workbook that somebody uploads. saxes keeps every open element and every attribute of the element that it reads, so a
// few kilobytes that are inflated to megabytes of them would fill the memory.

import { SaxesParser } from "saxes";

/** Elements of a workbook nest about a dozen deep. */
const maxDepth = 100;
const maxAttributes = 100;

/** Names without their prefix, which every program chooses as it likes. */
export type XmlHandlers = Readonly<{
  open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  text?: (part: string) => void;
  close?: (name: string) => void;
}>;

/** Throws an Error for what is no XML, and for what nests deeper or has more attributes than anything in a workbook. */
export function boundedParser({ open, text, close }: XmlHandlers): SaxesParser {
  const parser = new SaxesParser();
  parser.on("error", ({ message }) => {
    throw new Error(`the workbook is damaged: ${message}`);
  });
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
  parser.on("opentag", (tag) => open(localName(tag.name), tag.attributes));
  if (text) {
    parser.on("text", text);
    parser.on("cdata", text);
  }
  parser.on("closetag", (tag) => {
    depth -= 1;
    close?.(localName(tag.name));
  });
  return parser;
}

/** Hands a part of a workbook to the handlers. */
export async function parseXml(xml: AsyncIterable<string>, handlers: XmlHandlers): Promise<void> {
  const parser = boundedParser(handlers);
  for await (const chunk of xml) parser.write(chunk);
  parser.close();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
