// Pages, texts and scripts of the documentation, and the program that draws its reference, as files for http/files.ts, with their headers.

import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { generatedFolder } from "../http/contract/published.ts";
import type { StaticFile } from "../http/files.ts";

const policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "font-src": "'self'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
  "form-action": "'self'",
  "frame-ancestors": "'none'",
  "base-uri": "'none'",
};

/** Scalar needs inline styles for rendering. */
export const referencePolicy = { ...policy, "style-src": "'self' 'unsafe-inline'" };

const closed = { "Cross-Origin-Resource-Policy": "same-origin" };

/** A page in the language of the reader, which a cookie or the browser chooses. */
export function pageFile(text: string, directives: Readonly<Record<string, string>> = policy) {
  const headers = {
    ...closed,
    "Content-Security-Policy": Object.entries(directives)
      .map((directive) => directive.join(" "))
      .join("; "),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
  };
  return { type: "text/html", body: Buffer.from(text), cache: "revalidate", headers, vary: "Cookie, Accept-Language" } as const;
}

export function textFile(type: string, text: string): StaticFile {
  return { type: `${type}; charset=utf-8`, body: Buffer.from(text), cache: "revalidate", headers: closed };
}

export function jsonFile(content: object): StaticFile {
  return textFile("application/json", JSON.stringify(content));
}

// The program that draws the reference: one file of 4 MB, which nobody reads before somebody asks for it. `make generate` copies it.

/** Changes with the version, so that the file may be kept for ever. */
export const scalarName = readdirSync(generatedFolder).find((name) => /^scalar-[\d.]+\.js$/.test(name)) as string;

export function scalarProgram(): StaticFile {
  const file = new URL(scalarName, generatedFolder);
  return { type: "text/javascript", size: statSync(file).size, load: () => readFile(file), cache: "immutable" };
}
