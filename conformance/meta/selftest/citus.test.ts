// Whether a machine has the extension Citus, which rehearsals and rules need.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";

import { missingCitus } from "../../suite/servers/citus.ts";
import { postgresPrograms } from "../../suite/servers/cluster.ts";

let version: string;
beforeEach(async (context) => {
  const programs = await postgresPrograms();
  if (!programs) return context.skip("not run: there is no PostgreSQL in /usr/lib/postgresql (apt-get install postgresql)");
  version = basename(dirname(programs));
});

const library = () => `usr/lib/postgresql/${version}/lib/citus.so`;
const control = () => `usr/share/postgresql/${version}/extension/citus.control`;

/** A folder with these files. */
async function withFiles(...files: string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "namjai-citus-"));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), "");
  }
  return root;
}

test("Citus is there when both its library and its control file are", async () =>
  expect(await missingCitus(await withFiles(library(), control()))).toBeNull());

test("a Citus without its control file is missing, and that file alone is named", async () => {
  const missing = await missingCitus(await withFiles(library()));
  expect(missing).toContain(`/${control()} missing`);
  expect(missing).not.toContain(library());
});

test("a Citus without its library is missing, and that file alone is named", async () => {
  const missing = await missingCitus(await withFiles(control()));
  expect(missing).toContain(`/${library()} missing`);
  expect(missing).not.toContain(control());
});

test("where nothing of Citus is, both files are named", async () =>
  expect(await missingCitus(await withFiles())).toContain(`/${library()} and /${control()} missing`));
