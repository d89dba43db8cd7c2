import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StaticFile } from "../http/files.ts";
import { sources } from "../studio/overlay/overlay-links.ts";
import { documentNames } from "./documents.ts";
import { overlayFiles } from "./overlay-files.ts";

type Content = Extract<StaticFile, { body: Buffer }>;

const find = overlayFiles({ brand: "namjai" });
const content = (path: string): Content => {
  const file = find(path);
  if (!file || !("body" in file)) throw new Error(`there is no ${path}`);
  return file;
};
const text = (path: string): string => content(path).body.toString();
const pages = documentNames.map((name) => (name === "overlay" ? "/overlay/" : `/overlay/${name}`));

/** Every address in a document or a style sheet, as a browser resolves it. */
function linked(path: string): string[] {
  const addresses = [...text(path).matchAll(/(?:src|href|data-worker|data-chime)="([^"#][^"]*)"|url\("([^"]+)"\)/g)];
  return addresses
    .map(([, attribute, url]) => new URL(attribute ?? url ?? "", `http://x${path}`))
    .flatMap(({ protocol, pathname }) => (protocol === "http:" ? [pathname] : []));
}

test.each(pages)("every file that %s links to exists", (page) => {
  const wanted = linked(page);
  expect(wanted.length).toBeGreaterThanOrEqual(3);
  for (const path of wanted) {
    expect(content(path).body.length, path).toBeGreaterThan(100);
    if (path.endsWith(".css")) for (const font of linked(path)) expect(content(font).type).toBe("font/woff2");
  }
});

test.each(pages)("the policy of %s allows only scripts, styles and files of this server, and frames by any page", (page) => {
  const { headers = {}, cache } = content(page);
  const policy = headers["Content-Security-Policy"] ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'");
  expect(policy).toContain("connect-src 'self'; worker-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:|\*|frame-ancestors/);
  expect(text(page)).not.toMatch(/<style|<script>|style=|onload/);
  expect(cache).toBe("revalidate");
});

test("files named after their content are cached for ever, and the worker has one address for all versions", () => {
  for (const path of pages.flatMap(linked)) expect(content(path).cache, path).toBe(path.endsWith("worker.js") ? "revalidate" : "immutable");
});

test("a request for a file of another version gets the current one, and an unknown file is not found", () => {
  const [script = ""] = linked("/overlay/").filter((path) => path.endsWith(".js"));
  const other = content(script.replace(/-[^-]+\.js$/, "-00000000.js"));
  expect(other.body).toEqual(content(script).body);
  expect(other.cache).toBe("revalidate");
  for (const path of ["/overlay/assets/secret.js", "/overlay/assets/", "/overlay/worker-00000000.js", "/overlay/nothing", "/"])
    expect(find(path), path).toBeUndefined();
  expect(find("/overlay")).toEqual({ location: "overlay/" });
});

test("scripts are small and contain nothing of Node", () => {
  for (const path of pages.flatMap(linked).filter((one) => one.endsWith(".js"))) {
    expect(text(path)).not.toMatch(/node:|require\(|process\.env/);
    expect(content(path).body.length).toBeLessThan(37_000);
  }
});

test("every page of the overlay has a script in src/overlay-pages/page", () => {
  const missing = documentNames.filter((name) => !existsSync(join(import.meta.dirname, "page", `${name}.ts`)));
  expect(missing.map((name) => `src/overlay-pages/page/${name}.ts is missing`)).toEqual([]);
});

test("the studio gives the streamer an address of every page of the overlay", () => {
  const known = sources.map(({ path }) => path.replace(/^\/overlay\/|\?.*/g, "") || "overlay");
  const missing = documentNames.filter((name) => !known.includes(name));
  expect(missing.map((name) => `sources in src/studio/overlay/overlay-links.ts lacks the page /overlay/${name}`)).toEqual([]);
});
