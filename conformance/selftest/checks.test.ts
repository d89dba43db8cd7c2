import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { check } from "../checks/check.ts";
import { unpinned } from "../checks/lock-file.ts";
import { stages } from "../checks/steps.ts";
import { checkout } from "../harness/server/start-server.ts";

const text = (file: string): string => readFileSync(`${checkout}/${file}`, "utf8");

describe("package-lock.json", () => {
  test("every package of it has the hash of its archive", () => expect(unpinned(JSON.parse(text("package-lock.json")))).toEqual([]));

  test("a package without a hash is named; the project itself and links need none", () =>
    expect(
      unpinned({
        packages: { "": {}, "node_modules/a": { integrity: "sha512-x" }, "node_modules/b": {}, "node_modules/c": { link: true } },
      }),
    ).toEqual(["node_modules/b"]));
});

describe("make check", () => {
  const passes = { name: "passes", command: ["true"] };
  const types = { name: "types", command: ["sh", "-c", "echo a type; exit 2"] };
  const format = { name: "format", command: ["sh", "-c", "echo a line; exit 1"], exceptFormat: ["true"] };
  const lint = { ...format, name: "lint", exceptFormat: ["false"] };
  const said = async (...of: Parameters<typeof check>[0]) => {
    const lines: string[] = [];
    return { passed: await check(of, (line) => lines.push(line)), lines };
  };

  test("passes when every step of every stage does", async () => {
    const { passed, lines } = await said([passes], [passes]);
    expect([passed, lines.map((line) => line.replace(/ \(.*/, ""))]).toEqual([true, ["passed  passes", "passed  passes"]]);
  });

  test("where only the format is at fault, its last word is to run make format", async () => {
    const { passed, lines } = await said([passes], [format, passes]);
    expect([passed, lines.at(-1)]).toEqual([false, "Run: make format"]);
    expect(lines.join("\n")).toContain("== format: sh -c echo a line; exit 1\na line");
  });

  test("where lint is at fault as well, it does not promise that make format mends it", async () =>
    expect((await said([format, lint])).lines.at(-1)).toBe("\nFailed: format, lint."));

  test("a fault in one stage keeps the later ones from running: types are told before the format", async () => {
    const { lines } = await said([types, passes], [format]);
    expect(lines.join("\n")).toContain("a type");
    expect(lines.join("\n")).not.toContain("format");
  });

  test("its types come before its format", () => {
    const stageOf = (name: string) => stages.findIndex((steps) => steps.some((step) => step.name === name));
    expect(stageOf("types")).toBeGreaterThanOrEqual(0);
    expect(stageOf("types")).toBeLessThan(stageOf("lint and format"));
  });
});
