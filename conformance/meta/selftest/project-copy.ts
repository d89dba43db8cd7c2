// A copy of the project in which recipes are tried: the files that git tracks, and the packages by links.

import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { listGitFiles } from "../../../spec/check/git-files.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { type Edit, edited } from "./recipe-book.ts";

export type Outcome = { code: number; output: string };

export type ProjectCopy = {
  apply: (edit: Edit) => Promise<void>;
  /** Runs a command of the shell, as somebody would in the copy. */
  run: (command: string) => Promise<Outcome>;
  remove: () => Promise<void>;
};

const typeChecks = ["types.tsbuildinfo", "types-of-pages.tsbuildinfo"].map((name) => `node_modules/.cache/${name}`);

/** What tsc has noted of the copies before, by file. It names files by their relative paths, which are the same in each copy. */
const checked = new Map<string, Buffer>();

export async function copyProject(): Promise<ProjectCopy> {
  const folder = await mkdtemp(join(tmpdir(), "namjai-recipes-"));
  const files = await listGitFiles(["--cached", "--others", "--exclude-standard"]);
  if (!files) throw new Error(`${checkout} is no checkout of git, which says what the project's files are`);
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(checkout, file), join(folder, file)).catch(ignoreDeleted);
  }
  await linkPackages(folder);
  await mkdir(join(folder, "node_modules/.cache"));
  for (const [file, content] of checked) await writeFile(join(folder, file), content);
  return {
    apply: async (edit) => {
      const path = join(folder, edit.file);
      const before = await readFile(path, "utf8").catch(() => null);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, edited(before, edit));
    },
    run: (command) => runIn(folder, command),
    remove: async () => {
      for (const file of typeChecks) await readFile(join(folder, file)).then((content) => checked.set(file, content), ignoreDeleted);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A folder of its own with a link for each package: what tools keep in node_modules stays in the copy. */
async function linkPackages(folder: string): Promise<void> {
  const [from, to] = [join(checkout, "node_modules"), join(folder, "node_modules")];
  await mkdir(to);
  for (const name of await readdir(from)) {
    if (name.startsWith(".") && name !== ".bin") continue;
    await symlink(join(from, name), join(to, name));
  }
  await cp(join(from, ".package-lock.json"), join(to, ".package-lock.json")); // newer than package-lock.json: nothing is installed
}

function ignoreDeleted(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

async function runIn(folder: string, command: string): Promise<Outcome> {
  const env = { ...process.env, PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH}` };
  for (const name of Object.keys(env))
    if (/^(?:VITEST|MAKE|MFLAGS$|NODE_ENV$|TEST$|DEV$|PROD$|MODE$)/.test(name)) delete (env as NodeJS.ProcessEnv)[name];
  const child = spawn("bash", ["-c", command], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: out + err };
}
