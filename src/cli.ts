// The entry point of the command line: streamers, keys, clients and native donations. Results go to stdout, errors to stderr.

import { printed, readCall, withDatabase } from "./cli/run.ts";

async function main(argv: string[]): Promise<void> {
  const call = await readCall(argv);
  if (typeof call === "string") return console.log(call);
  const { command, input } = call;
  await withDatabase(process.env, command.createsSchema === true, async (deps) => {
    const result = await command.run(deps, input);
    console.log(printed(result));
    if (command.isFailure?.(result)) process.exitCode = 1;
  });
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
