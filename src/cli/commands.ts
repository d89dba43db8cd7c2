// Loads the commands of the command line.

import type { Command } from "./command.ts";

/** First words of commands, and the file that has them. In the order of the help text. */
const files: readonly { nouns: readonly string[]; load: () => Promise<Command[]> }[] = [
  { nouns: ["streamers", "logins"], load: async () => (await import("./streamers.ts")).streamerCommands },
  { nouns: ["keys"], load: async () => (await import("./keys.ts")).keyCommands },
  { nouns: ["overlay-keys"], load: async () => (await import("./overlay-keys.ts")).overlayKeyCommands },
  {
    nouns: ["donations"],
    load: async () => [...(await import("./donations.ts")).donationCommands, ...(await import("./imports.ts")).importCommands],
  },
  { nouns: ["donators"], load: async () => (await import("./donators.ts")).donatorCommands },
  { nouns: ["audit"], load: async () => (await import("./audit.ts")).auditCommands },
  { nouns: ["database"], load: async () => (await import("./database.ts")).databaseCommands },
  { nouns: ["clients", "signing-keys"], load: async () => (await import("./clients.ts")).clientCommands },
  { nouns: ["reports", "search"], load: async () => (await import("./reports.ts")).reportCommands },
];

/**
 * Loads the commands that begin with this word, or all commands when none does. A command loads no file of the others, because loading
 * all of them takes longer than most commands.
 */
export async function loadCommands(noun: string | undefined): Promise<Command[]> {
  const named = files.filter(({ nouns }) => nouns.includes(noun ?? ""));
  const loaded = await Promise.all((named.length > 0 ? named : files).map(({ load }) => load()));
  return loaded.flat();
}
