// The arguments of the server's entry point. Everything else is set by environment variables (config.ts).

/** The server was called with an argument that it does not know; the message names it. */
export class UsageError extends Error {}

/** EX_USAGE of sysexits.h. */
export const wrongUsageExitCode = 64;

export const usage = `usage: npm start [-- --demo]

Serves until it receives SIGTERM. Its settings are environment variables: docs/operations/settings.md lists them.

  --demo      make a demo streamer with an API key, and print a curl line to try
  --help, -h  print this text
  --version   print the version

Streamers, keys and clients are managed by the command line: npm run cli -- --help`;

/** What the server was asked to do. */
type Arguments = { demo: boolean; help: boolean; version: boolean };

const known = ["--demo", "--help", "-h", "--version"];

/** Reads the words behind the name of the program. Throws UsageError for a word that is no argument of the server. */
export function readArguments(words: readonly string[]): Arguments {
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined)
    throw new UsageError(
      `unknown argument ${JSON.stringify(unknown)}: the server takes --demo, --help and --version. Its settings are environment variables (docs/operations/settings.md); streamers, keys and clients are managed by the command line (npm run cli -- --help).`,
    );
  return { demo: words.includes("--demo"), help: words.includes("--help") || words.includes("-h"), version: words.includes("--version") };
}
