// The checks of `make check` themselves.

import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runStages } from "../../../spec/check/check.ts";
import { listGitFiles } from "../../../spec/check/git-files.ts";
import { unpinnedPackages } from "../../../spec/check/lock-file.ts";
import { openMemory } from "../../../spec/check/memory.ts";
import { runProgram } from "../../../spec/check/run.ts";
import { type Step, stages } from "../../../spec/check/steps.ts";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "namjai-files-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test("a package without a hash in package-lock.json is reported; the project itself and links need none", () =>
  expect(
    unpinnedPackages({
      packages: { "": {}, "node_modules/a": { integrity: "sha512-x" }, "node_modules/b": {}, "node_modules/c": { link: true } },
    }),
  ).toEqual(["node_modules/b"]));

describe("make check", () => {
  const passes = { name: "passes", command: ["true"] };
  const types = { name: "types", command: ["sh", "-c", "echo a type; exit 2"] };
  const format = { name: "format", command: ["sh", "-c", "echo a line; exit 1"], exceptFormat: ["true"] };
  const lint = { ...format, name: "lint", exceptFormat: ["false"] };
  const runAndCollect = async (...list: Parameters<typeof runStages>[0]) => {
    const lines: string[] = [];
    return { passed: await runStages(list, { print: (line) => lines.push(line) }), lines };
  };

  test("make check passes when every step of every stage passes", async () => {
    const { passed, lines } = await runAndCollect([passes], [passes]);
    expect([passed, lines.map((line) => line.replace(/ \(.*/, ""))]).toEqual([true, ["passed  passes", "passed  passes"]]);
  });

  test('make check ends with "Run: make format" when only formatting is wrong', async () => {
    const { passed, lines } = await runAndCollect([passes], [format, passes]);
    expect([passed, lines.at(-1)]).toEqual([false, "Run: make format"]);
    expect(lines.join("\n")).toContain("== format: sh -c echo a line; exit 1\na line");
  });

  test("make check does not suggest make format when a lint rule is broken, too", async () =>
    expect((await runAndCollect([format, lint])).lines.at(-1)).toBe("\nFailed: format, lint."));

  test("a failed stage keeps the later stages of make check from running", async () => {
    const { lines } = await runAndCollect([types, passes], [format]);
    expect(lines.join("\n")).toContain("a type");
    expect(lines.join("\n")).not.toContain("format");
  });

  test("make check prints what a step that passed did not run", async () => {
    const { lines } = await runAndCollect([{ name: "some", command: ["sh", "-c", "echo a line; echo not run: the rest"] }]);
    expect(lines.slice(1)).toEqual(["        not run: the rest"]);
  });

  test("make check checks types in an earlier stage than formatting", () => {
    const stageOf = (name: string) => stages.findIndex((steps) => steps.some((step) => step.name === name));
    expect(stageOf("types")).toBeGreaterThanOrEqual(0);
    expect(stageOf("types")).toBeLessThan(stageOf("lint and format"));
  });
});

test.each(["spec/donations.tsp", "generated/openapi.json", "conformance/suite/contract/scopes.ts", "src/ops/upgrade/questions.ts"])(
  "the rules of every operation are checked anew after a change of %s",
  (file) =>
    expect(
      stages
        .flat()
        .find(({ name }) => name === "rules of every operation")
        ?.reads?.test(file),
    ).toBe(true),
);

describe("make check on files that it has passed on before", () => {
  const whole = { name: "whole", command: ["true"], reads: /\.ts$/ };
  const single = { ...whole, name: "single", judgesEachFileAlone: true, settings: /^settings\.json$/ } as const;

  /** Both steps have passed on the files a.ts and b.ts. */
  async function checkedFolder() {
    const folder = await temporaryFolder();
    await runProgram(["git", "init", folder]);
    const write = (name: string, content: string) => {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), content);
    };
    write(".gitignore", "node_modules");
    write("a.ts", "a");
    write("b.ts", "b");
    const memory = await openMemory(folder);
    for (const step of [whole, single]) await memory.notePassed(step);
    return {
      write,
      remove: (name: string) => rm(join(folder, name)),
      unchecked: async (step: Step) => (await openMemory(folder)).unchecked(step),
    };
  }

  test("a step whose files are as when it passed is not run", async () => {
    const { write, unchecked } = await checkedFolder();
    write("c.md", "read by no step");
    expect([await unchecked(whole), await unchecked(single)]).toEqual([[], []]);
  });

  test("a step runs on everything, or on the changed files where it judges each alone", async () => {
    const { write, unchecked } = await checkedFolder();
    write("b.ts", "changed");
    write("c.ts", "new");
    expect([await unchecked(whole), await unchecked(single)]).toEqual(["all", ["b.ts", "c.ts"]]);
  });

  test("a step runs again when a file is gone, unless it judges each alone", async () => {
    const { remove, unchecked } = await checkedFolder();
    await remove("b.ts");
    expect([await unchecked(whole), await unchecked(single)]).toEqual(["all", []]);
  });

  test.for(["package-lock.json", "settings.json", "spec/check/steps.ts"])("a step runs on everything when %s has changed", async (file) => {
    const { write, unchecked } = await checkedFolder();
    write(file, "changed");
    expect(await unchecked(single)).toBe("all");
  });

  test("a step runs on everything when its command has changed, or says not what it reads", async () => {
    const { unchecked } = await checkedFolder();
    expect([await unchecked({ ...whole, command: ["false"] }), await unchecked({ name: "whole", command: ["true"] })]).toEqual([
      "all",
      "all",
    ]);
  });
});

describe("files as git knows them", () => {
  test("those of this checkout are listed", async () => expect(await listGitFiles(["generated"])).toContain("generated/openapi.json"));

  test("a checkout that git refuses to read is an error, with git's own words", async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, ".git"), "gitdir: /nowhere");
    await expect(listGitFiles([], folder)).rejects.toThrow(/^git can't list the files of .*: fatal: not a git repository/);
  });

  test("a folder that is in no checkout has none", async () => expect(await listGitFiles([], await temporaryFolder())).toBeNull());
});
