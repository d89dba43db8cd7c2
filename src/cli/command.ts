// The shape of every command: its arguments, and what it prints.

import type { Knex } from "knex";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Sealer } from "../db/secrets.ts";

export type CommandDeps = { database: Database; knex: Knex; brand: string; baseUrl: string; sealer: Sealer; erasureJournal: string };

export type Command = {
  /** The usage line; its first two words are the name of the command. */
  usage: string;
  options?: Record<string, "once" | "many" | "switch">;
  positionals?: string[];
  /** The command leaves the schema as it is, or makes it itself; for others it is brought up to date. */
  keepsSchema?: true;
  /** Runs before the database is opened, and may refuse what needs none. An embedded one would be made by that. */
  check?: (input: Input, config: Config) => Promise<void>;
  /** Whether this result is printed and the command fails all the same. */
  isFailure?: (result: unknown) => boolean;
  /** A string is printed as it is, undefined is not, anything else as JSON. */
  run: (deps: CommandDeps, input: Input) => Promise<unknown>;
};

/** Options and positional arguments of a call. `require` throws an Error that names the missing option. */
export type Input = {
  get: (option: string) => string | undefined;
  require: (option: string) => string;
  all: (option: string) => string[];
  has: (option: string) => boolean;
  positional: (name: string) => string;
};
