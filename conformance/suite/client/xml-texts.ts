// Reads the texts of a sheet as XML defines them: unlike SheetJS, which takes characters that no XML may contain, and keeps a carriage return.

import { SaxesParser } from "saxes";

/** The contents of all elements `t`, in order. Throws an Error for what is no well-formed XML 1.0. */
export function xmlTexts(xml: string): string[] {
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
