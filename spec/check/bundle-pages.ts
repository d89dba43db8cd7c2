// `node spec/check/bundle-pages.ts` bundles the scripts and style sheets of the overlay and the widgets into generated/overlay/; the server sends
// what stands there. With --check it writes nothing, and fails when something else stands there.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { checkout } from "../../conformance/suite/contract/sources.ts";
import { documentNames } from "../../src/overlay-pages/documents.ts";

/** The Chromium of OBS Studio 28 to 30, the oldest that is supported. */
const targetBrowser = "chrome103";
const folder = join(checkout, "generated/overlay");

const bundled = bundle([...documentNames.map((name) => `${name}.ts`), "worker.ts", "overlay.css", "widgets.css"]);
if (process.argv.includes("--check")) requireSame(bundled);
else write(bundled);

/** By file name. Throws when a script needs something that browsers don't have. Fonts are not among the files: the server has their package. */
function bundle(entries: readonly string[]): ReadonlyMap<string, string> {
  const { outputFiles } = buildSync({
    absWorkingDir: join(checkout, "src/overlay-pages/page"),
    entryPoints: [...entries],
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
  const named = outputFiles.map(({ path, text }) => [basename(path), text] as const);
  return new Map(named.filter(([name]) => !name.endsWith(".woff2")));
}

function write(files: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
}

function requireSame(files: ReadonlyMap<string, string>): void {
  const names = new Set([...files.keys(), ...readdirSync(folder)]);
  const wrong = [...names].filter((name) => files.get(name) !== readText(name));
  if (wrong.length === 0) return;
  console.error(`generated/overlay/ is not what src/overlay-pages/ is bundled to: ${wrong.join(", ")}. Run: make pages`);
  process.exit(1);
}

function readText(name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch {
    return undefined;
  }
}
