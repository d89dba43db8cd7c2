// The entry point of the command line: streamers, keys, clients and native donations. Results go to stdout, errors to stderr.

import { hostname, userInfo } from "node:os";
import { type Actor, actAs } from "./audit/actor.ts";
import { readCall, withDatabase } from "./cli/run.ts";
import { readConfig } from "./config.ts";

async function main(argv: string[]): Promise<void> {
  const call = await readCall(argv);
  if (typeof call === "string") return console.log(call);
  await call.check(readConfig(process.env));
  await withDatabase(process.env, call.keepsSchema, async (deps) => {
    const { output, failed } = await actAs(operator(), () => call.run(deps));
    if (output !== null) console.log(output);
    if (failed) process.exitCode = 1;
  });
}

/** The operating system's user, by whom the audit log knows the operator; a number where the user has no name, as in containers. */
function operator(): Actor {
  const from = hostname();
  try {
    return { kind: "cli", id: userInfo().username, from };
  } catch {
    return { kind: "cli", id: String(process.getuid?.() ?? ""), from };
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
