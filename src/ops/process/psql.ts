// `make psql`: PostgreSQL's own shell on the configured database. The embedded server is started for it when it does not run.

import { spawn } from "node:child_process";
import { readConfig } from "../../config.ts";
import { openDatabase } from "../../db/database.ts";
import { makeLog } from "../../telemetry/log.ts";

const missingMessage =
  "There is no psql on PATH, and the embedded PostgreSQL does not contain it. Install it: apt-get install postgresql-client (Debian), brew install libpq (macOS).";

/** Runs psql with these options on the configured database. Returns its exit code. */
async function runOnDatabase(options: string[]): Promise<number> {
  const database = await openDatabase({ ...readConfig(process.env), log: makeLog("warn") });
  process.on("SIGINT", () => {}); // Ctrl-C cancels the statement that psql runs
  try {
    return await runPsql(database.url, options);
  } finally {
    await database.close();
  }
}

/** The password is passed in the environment, because every user of the machine can read a command line. */
function runPsql(address: string, options: string[]): Promise<number> {
  const url = new URL(address);
  const password = decodeURIComponent(url.password);
  url.password = "";
  const env = { ...process.env, ...(password && { PGPASSWORD: password }) };
  return new Promise((resolve, reject) => {
    spawn("psql", [...options, url.href], { env, stdio: "inherit" })
      .once("error", (error: NodeJS.ErrnoException) => reject(error.code === "ENOENT" ? new Error(missingMessage) : error))
      .once("close", (code) => resolve(code ?? 1));
  });
}

runOnDatabase(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
