// Errors that end a command before it has tested anything, and commands that report wrong usage as one instead of ending the process.

import { Command, CommanderError } from "commander";

/** The command line, or a file that it names, is invalid; the message says why. */
export class UsageError extends Error {}

/** A command without output and exit of its own, for `parse`. Its subcommands inherit that. */
export const newCommand = (name: string): Command =>
  new Command(name).exitOverride().configureOutput({ writeErr: () => {}, getOutHelpWidth: () => 140 });

/** Parses the arguments. Throws `UsageError` for wrong ones. */
export function parse(command: Command, args: readonly string[]): Command {
  try {
    return command.parse([...args], { from: "user" });
  } catch (error) {
    throw toUsageError(error);
  }
}

/** An error of commander as `UsageError`; any other as it is. */
export const toUsageError = (error: unknown): unknown =>
  error instanceof CommanderError && error.exitCode !== 0 ? new UsageError(error.message.replace(/^error: /, "")) : error;

/** The server cannot be measured. `curl` is a request that shows why. */
export class NotMeasurable extends Error {
  readonly curl: string | null;
  constructor(reason: string, curl: string | null = null) {
    super(reason);
    this.curl = curl;
  }
}
