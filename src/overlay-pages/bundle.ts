// Bundles scripts and style sheets of page/ for the browser, in memory.

import { basename, join } from "node:path";
import { buildSync } from "esbuild";

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
