import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sources } from "../studio/overlay/overlay-links.ts";
import { documentNames } from "./documents.ts";

const missingScripts = documentNames
  .map((name) => `src/overlay-pages/page/${name}.ts`)
  .filter((file) => !existsSync(join(import.meta.dirname, "../..", file)));

test("every page of the overlay has a script in src/overlay-pages/page", () => {
  expect(missingScripts.map((file) => `${file} is missing`)).toEqual([]);
});

test("the studio gives the streamer an address of every page of the overlay", () => {
  const linked = sources.map(({ path }) => path.replace(/^\/overlay\/|\?.*/g, "") || "overlay");
  const missing = documentNames.filter((name) => !linked.includes(name));
  expect(missing.map((name) => `sources in src/studio/overlay/overlay-links.ts lacks the page /overlay/${name}`)).toEqual([]);
});
