// Errors that end a command before it has tested anything, why a request got no answer, and commands that report wrong usage as one instead of ending the process.

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

// Explains why a request got no answer.

const explanations: [RegExp, string][] = [
  [/^ECONNREFUSED$/, "no server listens at this address"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "unknown host"],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, "the server cannot be reached"],
  [/^(ECONNRESET|EPIPE)$/, "the server closed the connection without an answer"],
  [/^(EPROTO|ERR_SSL_.*)$/, "the server does not speak TLS: is the address http instead of https?"],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/,
    "the server's TLS certificate is not trusted (NODE_EXTRA_CA_CERTS=FILE adds a certificate authority)",
  ],
  [/^HPE_/, "the answer is not HTTP"],
];

/** Returns why a request got no answer, in words and with the error's code and message. */
export function explainConnectionError(error: unknown): string {
  const { code = "", message = "" } = innermostError(error) as { code?: string; message?: string };
  const explanation = explanations.find(([pattern]) => pattern.test(code))?.[1] ?? "the request failed";
  const detail = [code, message].filter((text, index) => text !== "" && !(index === 0 && message.includes(code))).join(": ");
  return detail ? `${explanation} (${detail})` : explanation;
}

/** A connection to a host with several addresses fails with one error per address; the first one is explained. */
function innermostError(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermostError(error.errors[0]);
  return error ?? {};
}
