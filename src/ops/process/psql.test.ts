import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findPostmaster } from "../../db/embedded/postmaster.ts";
import { inThisProcess, removeDataDir, temporaryDirectory } from "../../db/testing.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
});
afterEach(async () => {
  await removeDataDir(join(dataDir, "database"));
  await removeDataDir(dataDir);
});

const run = (env: Record<string, string>) =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, "psql.ts"), "-c", "select 1"], {
    env: { DATA_DIR: dataDir, ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );

test("psql opens the embedded database, which is started and stopped for it, and the password is on no command line", async () => {
  const programs = join(dataDir, "programs");
  await mkdir(programs);
  const ours = '#!/bin/sh\necho "$@"\necho "$PGPASSWORD" | wc -c\nexit 3\n';
  await writeFile(join(programs, "psql"), ours, { mode: 0o755 });
  const { code, stdout } = await run({ PATH: `${programs}:${process.env.PATH}` });
  expect([code, stdout]).toEqual([3, expect.stringMatching(/^-c select 1 postgres:\/\/postgres@127\.0\.0\.1:\d+\/\S+\n\s*[1-9]\d+\n$/)]);
  expect(await findPostmaster(join(dataDir, "postgres"))).toBeUndefined();
});

test("a missing psql is an error that names what to install", () =>
  inThisProcess(join(dataDir, "database"), async (url) => {
    const { code, stderr } = await run({ PATH: "/nowhere", DATABASE_URL: url });
    expect([code, stderr]).toEqual([1, expect.stringContaining("apt-get install postgresql-client")]);
  }));
