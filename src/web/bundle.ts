// Bundles scripts and style sheets for the browser, in memory: names of files in page/ → what is served.

import { basename, join } from "node:path";
import { buildSync } from "esbuild";

export type Bundled = Readonly<{ name: string; body: Buffer }>;

/** The Chromium of OBS Studio 28 to 30. */
const oldest = "chrome103";

/**
 * Files named `overlay-3F2K….js`, after their content; beside the entries there are the fonts that style sheets name. Throws
 * when a script needs something that browsers don't have.
 */
export function bundle(entries: readonly string[]): Bundled[] {
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
    target: oldest,
    loader: { ".woff2": "file", ".woff": "empty" },
    write: false,
    logLevel: "silent",
    tsconfigRaw: {},
  });
  return outputFiles.map(({ path, contents }) => ({ name: basename(path), body: Buffer.from(contents) }));
}
