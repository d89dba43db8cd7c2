import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

import { conformanceFolder } from "../../suite/contract/test-files.ts";

// The order of the suite's folders: each file imports only files of its own folder and of those before it. Imports of types count as well.
const order = ["contract", "values", "client", "models", "servers", "report", "command"];

const suite = join(conformanceFolder, "suite");
const files = readdirSync(suite, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

/** The files of the suite that a file imports. */
function importsOf(file: string): string[] {
  const named = [...readFileSync(join(suite, file), "utf8").matchAll(/(?:from |import\()"(\.[^"]+\.ts)"/g)].map(([, path = ""]) => path);
  return named.map((path) => relative(suite, join(suite, dirname(file), path)));
}

const placeOf = (file: string): number => order.indexOf(file.split("/")[0] ?? "");

test("every folder of the suite has its place in the order of imports", () =>
  expect(files.filter((file) => placeOf(file) < 0)).toEqual([]));

test("a file of the suite imports nothing from folders after its own, nor from outside of the suite but generated/, cases/ and the operator's command line", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) =>
        target.startsWith("../") ? !/^(\.\.\/)+(generated\/|cases\/|src\/cli\/run\.ts$)/.test(target) : placeOf(target) > placeOf(file),
      )
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("no file of the suite imports itself through others, types included", () => {
  const ended = new Set<string>();
  const circleFrom = (file: string, path: readonly string[]): string | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(" → ");
    if (ended.has(file)) return null;
    const circle = importsOf(file)
      .filter((target) => !target.startsWith("../"))
      .reduce<string | null>((found, target) => found ?? circleFrom(target, [...path, file]), null);
    ended.add(file);
    return circle;
  };
  expect(files.map((file) => circleFrom(file, [])).filter((circle) => circle !== null)).toEqual([]);
});
