// Remembers on which files a step of `make check` passed last, in node_modules/.cache/checks: it runs again when one of them has changed,
// or its command, the versions of the tools, or the code of the checks.

import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout } from "../../conformance/suite/contract/sources.ts";
import { listGitFiles } from "./git-files.ts";
import type { Step } from "./steps.ts";

type Passed = {
  /** Hash of what decides beside the files that are read. */
  tools: string;
  /** Hashes of the files that are read, by path. */
  files: Record<string, string>;
};

export type Memory = {
  /** The files that the step has to be run on: "all", or those that have changed since it passed. */
  unchecked: (step: Step) => Promise<readonly string[] | "all">;
  /** Notes that the step passed on the files as they were when the memory was opened. */
  notePassed: (step: Step) => Promise<void>;
};

export const noMemory: Memory = { unchecked: async () => "all", notePassed: async () => {} };

/** Without git, which lists the files, every step is run. */
export async function openMemory(folder: string = checkout): Promise<Memory> {
  const paths = await listGitFiles(["--cached", "--others", "--exclude-standard"], folder).catch(() => null);
  if (!paths) return noMemory;
  const contents = await Promise.all(
    paths.sort().map(async (path) => [path, await readFile(join(folder, path)).catch(() => null)] as const),
  );
  const files = Object.fromEntries(contents.flatMap(([path, content]) => (content ? [[path, hash(content)]] : [])));
  const record = ({ name }: Step) => join(folder, "node_modules/.cache/checks", name.replaceAll(/\W+/g, "-"));
  return {
    unchecked: async (step) => {
      const before: Passed | null = await readFile(record(step), "utf8").then(JSON.parse, () => null);
      const now = stateOf(step, files);
      if (!step.reads || before?.tools !== now.tools) return "all";
      const all = Object.keys({ ...before.files, ...now.files });
      const changed = all.filter((path) => before.files[path] !== now.files[path]);
      if (step.judgesEachFileAlone) return changed.filter((path) => path in now.files);
      return changed.length > 0 ? "all" : [];
    },
    notePassed: async (step) => {
      if (!step.reads) return;
      const draft = `${record(step)}.${process.pid}`;
      await mkdir(join(draft, ".."), { recursive: true });
      await writeFile(draft, JSON.stringify(stateOf(step, files)));
      await rename(draft, record(step)); // not written in place: copies of a checkout may share the file by a hard link
    },
  };
}

function stateOf({ command, reads, settings }: Step, files: Passed["files"]): Passed {
  const matching = (...patterns: (RegExp | undefined)[]) =>
    Object.fromEntries(Object.entries(files).filter(([path]) => patterns.some((pattern) => pattern?.test(path))));
  return {
    tools: hash(JSON.stringify([process.version, command, matching(/^package-lock\.json$|^spec\/check\//, settings)])),
    files: matching(reads),
  };
}

function hash(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("base64url");
}
