// One shape for every command: what it takes, and what it prints.

import type { Knex } from "knex";
import type { Database } from "../db/database.ts";
import type { Sealer } from "../db/secrets.ts";

export type Tools = { database: Database; knex: Knex; brand: string; baseUrl: string; sealer: Sealer };

export type Command = {
  /** As the usage line shows it, its first two words being its name. */
  usage: string;
  options?: Record<string, "once" | "many" | "switch">;
  positionals?: string[];
  /** A string is printed as it is, anything else as JSON. */
  run: (tools: Tools, input: Input) => Promise<unknown>;
};

/** Options and positionals of a call; every `require…` throws an Error that names what is missing. */
export type Input = {
  get: (option: string) => string | undefined;
  require: (option: string) => string;
  all: (option: string) => string[];
  has: (option: string) => boolean;
  positional: (name: string) => string;
};
