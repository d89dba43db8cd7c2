// What rules need on the machine: the process that runs the operator's commands, against a command line made for this test, and the extension Citus.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, expect, onTestFinished, type TestContext, test } from "vitest";
import { runApart, runCommands } from "../../suite/client/operator.ts";
import { missingCitus } from "../../suite/servers/citus.ts";
import { postgresPrograms } from "../../suite/servers/cluster.ts";
import type { Operator } from "../../suite/values/target.ts";

const code = mkdtempSync(join(tmpdir(), "namjai-operator-"));

afterAll(() => rmSync(code, { recursive: true }));

mkdirSync(join(code, "src/cli"), { recursive: true });

writeFileSync(
  join(code, "src/cli/run.ts"),
  `import { once } from "node:events";
  import { existsSync, watch, writeFileSync } from "node:fs";
  const commands = {
    variable: (name) => process.env[name] ?? "not set",
    setting: (name, env) => env[name] ?? "not set",
    write: (name) => writeFileSync(name, ""),
    fail: (text) => { throw new Error(text); },
    exit: (code) => process.exit(Number(code)),
    wait: async (name) => {
      const watched = watch(process.cwd());
      writeFileSync(name + "-awaited", "");
      while (!existsSync(name)) await once(watched, "change");
      watched.close();
      return "there";
    },
  };
  let env;
  export const withDatabase = (given, _keepsSchema, work) => { env = given; return work({}); };
  export const readCall = async ([name, value]) => ({
    keepsSchema: false,
    run: async () => ({ output: (await commands[name](value, env)) ?? null, failed: false }),
  });`,
);

const operator = (env: Record<string, string> = {}): Operator => ({ env: { PATH: process.env.PATH ?? "", ...env }, handle: "", code });

const call = (...words: string[]) => ({ words, input: "" });

const never = new AbortController().signal;

test("a command has the settings of its own operator, and the process those of none", async () => {
  expect(await runCommands(operator({ DATABASE_URL: "one" }), [call("setting", "DATABASE_URL")])).toEqual(["one"]);
  const calls = [call("setting", "DATABASE_URL"), call("variable", "DATABASE_URL"), call("variable", "PATH")];
  expect(await runCommands(operator({ DATABASE_URL: "two" }), calls)).toEqual(["two", "not set", process.env.PATH]);
});

test("a command that fails is an error with its message, and the next one is run", async () => {
  await expect(runCommands(operator(), [call("fail", "no such streamer")])).rejects.toThrow("no such streamer");
  expect(await runCommands(operator(), [call("setting", "NONE")])).toEqual(["not set"]);
});

test("a process that ends under a command is an error, and the next command has a new one", async () => {
  await expect(runCommands(operator(), [call("exit", "3")])).rejects.toThrow("ended with 3");
  expect(await runCommands(operator(), [call("setting", "NONE")])).toEqual(["not set"]);
});

test("a process that cannot be started is an error", () =>
  expect(runCommands({ ...operator(), code: join(code, "missing") }, [call("write", "x")])).rejects.toThrow("ENOENT"));

test("a command apart runs while another one waits", async () => {
  const waiting = runCommands(operator(), [call("wait", "file")]);
  await runApart(operator(), call("wait", "file-awaited"), never);
  await runApart(operator(), call("write", "file"), never);
  expect(await waiting).toEqual(["there"]);
});

test("a command apart ends when it is told to", async () => {
  const end = new AbortController();
  const waiting = runApart(operator(), call("wait", "nothing"), end.signal);
  await runApart(operator(), call("wait", "nothing-awaited"), never);
  end.abort();
  await expect(waiting).rejects.toThrow("aborted");
});

const programs = await postgresPrograms();

const version = basename(dirname(programs ?? ""));

const library = () => `usr/lib/postgresql/${version}/lib/citus.so`;

const control = () => `usr/share/postgresql/${version}/extension/citus.control`;

/** A folder with these files, on a machine with PostgreSQL. */
async function withFiles(context: TestContext, ...files: string[]): Promise<string> {
  if (!programs) context.skip("not run: there is no PostgreSQL in /usr/lib/postgresql (apt-get install postgresql)");
  const root = await mkdtemp(join(tmpdir(), "namjai-citus-"));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), "");
  }
  return root;
}

test("Citus is there when both its library and its control file are", async (context) =>
  expect(await missingCitus(await withFiles(context, library(), control()))).toBeNull());

test("a Citus without its control file is missing, and that file alone is named", async (context) => {
  const missing = await missingCitus(await withFiles(context, library()));
  expect(missing).toContain(`/${control()} missing`);
  expect(missing).not.toContain(library());
});

test("a Citus without its library is missing, and that file alone is named", async (context) => {
  const missing = await missingCitus(await withFiles(context, control()));
  expect(missing).toContain(`/${library()} missing`);
  expect(missing).not.toContain(control());
});

test("where nothing of Citus is, both files are named", async (context) =>
  expect(await missingCitus(await withFiles(context))).toContain(`/${library()} and /${control()} missing`));
