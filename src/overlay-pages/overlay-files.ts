// Bundles the files of the overlay and the widgets in memory, for http/files.ts: documents, scripts, style sheets, fonts, the chime.

import { hash } from "node:crypto";
import { basename, extname, join } from "node:path";
import { buildSync } from "esbuild";
import type { FindFile, StaticFile } from "../http/files.ts";
import { makeChime } from "./chime.ts";
import { documentNames, renderDocument } from "./documents.ts";

const root = "/overlay/";
const assets = `${root}assets/`;

/** Returns a function that finds the file of a path; undefined for a path without one. Everything is bundled at once. */
export function overlayFiles({ brand }: { brand: string }): FindFile {
  const files = new Map<string, StaticFile>();
  const bundled = [...bundle([...documentNames.map((name) => `${name}.ts`), "worker.ts", "overlay.css", "widgets.css"]), chime()];
  const current = new Map(bundled.map((file) => [plainName(file.name), file]));
  for (const file of bundled) files.set(assets + file.name, { ...contentOf(file), cache: "immutable" });
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
  files.set(`${root}worker.js`, { ...contentOf(current.get("worker.js") as BundledFile), cache: "revalidate" });
  files.set(root.slice(0, -1), { location: "overlay/" });

  return (path) => files.get(path) ?? fileOfOtherVersion(path, current);
}

/**
 * While a new version is rolled out, a page of one process may request its files from a process of the other version. It gets the same
 * file of that version, because nobody reloads a browser source of OBS.
 */
function fileOfOtherVersion(path: string, current: ReadonlyMap<string, BundledFile>): StaticFile | undefined {
  if (!path.startsWith(assets)) return undefined;
  const file = current.get(plainName(path.slice(assets.length)));
  return file && { ...contentOf(file), cache: "revalidate" };
}

/** `overlay-3F2KQ7XA.js` → `overlay.js` */
function plainName(name: string): string {
  return name.replace(/-[^-.]{8,}(?=\.\w+$)/, "");
}

function chime(): BundledFile {
  const body = makeChime();
  return { name: `chime-${hash("sha256", body, "hex").slice(0, 8)}.wav`, body };
}

const types: Record<string, string> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2",
  ".wav": "audio/wav",
};

function contentOf({ name, body }: BundledFile): { type: string; body: Buffer; headers: Record<string, string> } {
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

export type BundledFile = Readonly<{ name: string; body: Buffer }>;

/** The Chromium of OBS Studio 28 to 30, the oldest that is supported. */
const targetBrowser = "chrome103";

/**
 * Returns files named after their content, such as `overlay-3F2K….js`: the entries, and the fonts that style sheets name. Throws when a
 * script needs something that browsers don't have.
 */
export function bundle(entries: readonly string[]): BundledFile[] {
  const { outputFiles } = buildSync({
    absWorkingDir: join(import.meta.dirname, "page"),
    entryPoints: [...entries],
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    outdir: "assets",
    bundle: true,
    format: "iife",
    minify: true,
    charset: "utf8",
    platform: "browser",
    target: targetBrowser,
    loader: { ".woff2": "file", ".woff": "empty" },
    write: false,
    logLevel: "silent",
    tsconfigRaw: {},
  });
  return outputFiles.map(({ path, contents }) => ({ name: basename(path), body: Buffer.from(contents) }));
}
