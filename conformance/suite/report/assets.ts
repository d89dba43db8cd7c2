// The one place where reports read files: style and script of the pages. The package replaces this module with one that contains them
// (conformance/package/build.ts).

import { readFileSync } from "node:fs";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

export const assets = { style: read("page.css"), script: read("page.js") };
