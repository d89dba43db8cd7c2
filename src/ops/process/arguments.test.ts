import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readArguments, UsageError, usage } from "./arguments.ts";

test.each([
  [[], { demo: false, help: false, version: false }],
  [["--demo"], { demo: true, help: false, version: false }],
  [["--help"], { demo: false, help: true, version: false }],
  [["--demo", "-h"], { demo: true, help: true, version: false }],
  [["--version"], { demo: false, help: false, version: true }],
])("arguments %j of the server are read", (words, expected) => expect(readArguments(words)).toEqual(expected));

test.each([[["--port"]], [["--demo", "streamers"]], [["--DEMO"]], [["--demo=yes"]], [[""]]])(
  "arguments %j of the server are refused with the name of the wrong one",
  (words) => {
    const wrong = JSON.stringify(words.at(-1));
    expect(() => readArguments(words)).toThrow(UsageError);
    expect(() => readArguments(words)).toThrow(`unknown argument ${wrong}: `);
  },
);

/** Runs the server with settings that it would refuse if it read them. */
function start(word: string, file = "main.ts") {
  const program = join(import.meta.dirname, "../..", file);
  const env = { ...process.env, PORT: "no port" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, word], { env, encoding: "utf8", timeout: 30_000 });
  return { status, stdout, stderr };
}

test("the server with --help prints its usage and does not start", () =>
  expect(start("--help")).toEqual({ status: 0, stdout: `${usage}\n`, stderr: "" }));

test.each(["main.ts", "cli.ts"])("%s with --version prints the version of package.json and does nothing else", (file) => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8")) as { version: string };
  expect(start("--version", file)).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test("the server with an unknown argument exits with 64, says where settings and commands are described, and does not start", () => {
  const { status, stdout, stderr } = start("--port");
  expect([status, stdout]).toEqual([64, ""]);
  expect(stderr).toMatch(/^unknown argument "--port": .*docs\/operations\/settings\.md.*npm run cli -- --help/);
});
