// Finds the files of the overlay and the widgets for http/files.ts: documents, scripts, style sheets, fonts, the chime, the library. Scripts,
// style sheets and fonts are those of generated/, which `make pages` bundles.

import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, parse } from "node:path";
import { generatedFolder } from "../http/contract/published.ts";
import type { FindFile, StaticFile } from "../http/files.ts";
import { readFont } from "../ui/fonts.ts";
import { documentNames, renderDocument } from "./documents.ts";
import { librarySounds, makeChime, makeLibrarySound, soundBytes } from "./library/sounds.ts";

const root = "/overlay/";
const assets = `${root}assets/`;

/** Returns a function that finds the file of a path; undefined for a path without one. Every file is read at once. */
export function overlayFiles({ brand }: { brand: string }): FindFile {
  const files = new Map<string, StaticFile>();
  const bundled = readBundled();
  const served = [...bundled, ...fontsOf(bundled), named("chime.wav", makeChime())];
  const current = new Map(served.map((file) => [plainName(file.name), file]));
  for (const file of served) files.set(assets + file.name, { ...contentOf(file), cache: "immutable" });
  const asset = (name: string) => `assets/${current.get(name)?.name}`;
  for (const name of documentNames) {
    const path = name === "overlay" ? root : root + name;
    files.set(path, {
      type: "text/html",
      body: Buffer.from(renderDocument(name, brand, asset)),
      cache: "revalidate",
      headers: documentHeaders,
    });
  }
  // One address for all versions, because pages of an older and a newer one must share a worker.
  files.set(`${root}worker.js`, { ...contentOf(current.get("worker.js") as NamedFile), cache: "revalidate" });
  files.set(root.slice(0, -1), { location: "overlay/" });
  for (const [name, file] of libraryFiles()) files.set(`${root}library/${name}`, file);

  return (path) => files.get(path) ?? fileOfOtherVersion(path, current);
}

/**
 * While a new version is rolled out, a page of one process may request its files from a process of the other version. It gets the same
 * file of that version, because nobody reloads a browser source of OBS.
 */
function fileOfOtherVersion(path: string, current: ReadonlyMap<string, NamedFile>): StaticFile | undefined {
  if (!path.startsWith(assets)) return undefined;
  const file = current.get(plainName(path.slice(assets.length)));
  return file && { ...contentOf(file), cache: "revalidate" };
}

/** `overlay-3F2KQ7XA.js` → `overlay.js` */
function plainName(name: string): string {
  return name.replace(/-[^-.]{8,}(?=\.\w+$)/, "");
}

type NamedFile = Readonly<{ name: string; body: Buffer }>;

function readBundled(): NamedFile[] {
  const folder = new URL("overlay/", generatedFolder);
  return readdirSync(folder).map((name) => named(name, readFileSync(new URL(name, folder))));
}

/** Names a file after its content, such as `overlay-3f2kq7xa.js`. */
function named(file: string, body: Buffer): NamedFile {
  const { name, ext } = parse(file);
  return { name: `${name}-${hash("sha256", body, "hex").slice(0, 8)}${ext}`, body };
}

/** The fonts that style sheets name, such as `prompt-thai-500-normal-MERRXMXW.woff2`. */
function fontsOf(files: readonly NamedFile[]): NamedFile[] {
  const sheets = files.filter(({ name }) => extname(name) === ".css").map(({ body }) => body.toString());
  const names = new Set(sheets.flatMap((sheet) => sheet.match(/[\w-]+\.woff2/g) ?? []));
  return [...names].map((name) => ({ name, body: readFont(plainName(name)) }));
}

const types: Record<string, string> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2",
  ".wav": "audio/wav",
};

function contentOf({ name, body }: NamedFile): { type: string; body: Buffer; headers: Record<string, string> } {
  return { type: types[extname(name)] ?? "application/octet-stream", body, headers: assetHeaders };
}

const assetHeaders = { "Cross-Origin-Resource-Policy": "same-origin" };

/** Without frame-ancestors: any page may frame these pages, which have nothing to click on. */
const documentHeaders = {
  ...assetHeaders,
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src data: blob:", // data: for the empty icon, so that browsers do not request /favicon.ico; blob: for the streamer's images
    "media-src 'self' blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; "),
  "Referrer-Policy": "no-referrer",
};

// The library of pictures and sounds for alerts: drawn and synthesised for this project, and under its licence. The contract names them
// (LibraryImage and LibrarySound in spec/variations.tsp).

const pictures = new URL("library/pictures/", import.meta.url);

/** A picture that is opened by itself may do nothing but move. */
const headers = {
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** By file name. A sound is made when it is first requested. */
export function libraryFiles(): Map<string, StaticFile> {
  const images = readdirSync(pictures).map((name): [string, StaticFile] => {
    return [name, { type: "image/svg+xml", body: readFileSync(new URL(name, pictures)), cache: "revalidate", headers }];
  });
  const sounds = librarySounds.map((name): [string, StaticFile] => {
    const load = async () => makeLibrarySound(name);
    return [`${name}.wav`, { type: "audio/wav", load, size: soundBytes(name), cache: "revalidate", headers }];
  });
  return new Map([...images, ...sounds]);
}
