// `node spec/check/bundle-pages.ts` bundles the scripts and style sheets of the overlay and the widgets into generated/overlay/, and copies their
// fonts into generated/fonts/; the server sends what stands there. With --check it writes nothing, and fails when something else stands there.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { checkout } from "../../conformance/suite/contract/sources.ts";
import { documentNames } from "../../src/overlay-pages/documents.ts";
import { fontFiles, fontSheets } from "./bundle-fonts.ts";

/** The Chromium of OBS Studio 28 to 30, the oldest that is supported. */
const targetBrowser = "chrome103";
type Files = ReadonlyMap<string, Buffer>;

const { pages, fonts } = bundle([...documentNames.map((name) => `${name}.ts`), "worker.ts", "overlay.css", "widgets.css"]);
const folders: readonly [name: string, files: Files][] = [
  ["generated/overlay", pages],
  ["generated/fonts", fonts],
];
for (const [name, files] of folders) {
  if (process.argv.includes("--check")) requireSame(name, files);
  else write(name, files);
}

/** By file name. Throws when a script needs something that browsers don't have. */
function bundle(entries: readonly string[]): { pages: Files; fonts: Files } {
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
  const named = outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)] as const);
  const sheets = fontSheets().map(([name, css]) => [name, Buffer.from(css)] as const);
  const isFont = (name: string) => name.endsWith(".woff2");
  return {
    pages: new Map([...named.filter(([name]) => !isFont(name)), ...sheets]),
    fonts: fontFiles(named.map(([name]) => name).filter(isFont)),
  };
}

function write(name: string, files: Files): void {
  const folder = join(checkout, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [file, content] of files) writeFileSync(join(folder, file), content);
}

function requireSame(name: string, files: Files): void {
  const folder = join(checkout, name);
  const all = new Set([...files.keys(), ...(existsSync(folder) ? readdirSync(folder) : [])]);
  const isSame = (file: string) => existsSync(join(folder, file)) && files.get(file)?.equals(readFileSync(join(folder, file)));
  const wrong = [...all].filter((file) => !isSame(file));
  if (wrong.length === 0) return;
  console.error(`${name}/ is not what src/overlay-pages/ is bundled to: ${wrong.join(", ")}. Run: make pages`);
  process.exit(1);
}
